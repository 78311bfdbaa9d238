import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#config';
import { optionsOf } from './options.fixture.ts';

const POOL = '--inference-pool=ns/pool';

describe('readOptions', () => {
  it.each([
    ['abc', 'must be a valid integer, got "abc"'],
    ['xyz', 'must be a valid integer, got "xyz"'],
    ['0', 'start port 0 is out of valid range [1, 65535]'],
    ['65536', 'start port 65536 is out of valid range [1, 65535]'],
  ])('says what is wrong with the port %s, and which flag it is of (O17)', (text, expected) => {
    for (const flag of ['--port', '--model-server-port', '--vllm-port']) {
      expect(() => optionsOf([`${flag}=${text}`])).toThrow(`${flag} ${expected}`);
    }
  });

  it.each([
    [['--port=65535', '--data-parallel-size=2'], '--port port range [65535, 65536] exceeds maximum port value'],
    [['--vllm-port=65535', '--data-parallel-size=2'], '--vllm-port port range [65535, 65536] exceeds maximum'],
    [['--data-parallel-size=0'], '--data-parallel-size must be at least 1, got 0'],
    [['--data-parallel-size=-5'], '--data-parallel-size must be at least 1, got -5'],
    [['--data-parallel-size=65535'], 'invalid port range'],
  ])('refuses %j (O15, O16)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it.each([
    [['--kv-connector=invalid'], '--kv-connector must be one of: nixlv2, shared-storage, sglang, mooncake, offloading'],
    [['--kv-connector='], '--kv-connector must be one of: nixlv2'],
    [['--ec-connector=invalid'], '--ec-connector must be one of: ec-example, ec-nixl'],
    [['--p2p-key-style=old'], '--p2p-key-style must be one of: seed, current'],
    [['--enable-tls=invalid'], '--enable-tls must be one of: prefiller, decoder, encoder, got invalid'],
    [['--enable-tls=prefiller,invalid'], '--enable-tls must be one of'],
    [['--tls-insecure-skip-verify=constructor'], '--tls-insecure-skip-verify must be one of'],
  ])('refuses %j (O12, O13)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it.each([
    [['--kv-connector=offloading', '--enable-p2p-pull'], '(got offloading)'],
    [['--kv-connector=shared-storage', '--enable-p2p-pull'], '(got shared-storage)'],
  ])('refuses %j (O11)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(`--enable-p2p-pull requires --kv-connector=nixlv2 ${message}`);
  });

  it('names connector, size and value where offloading has several ranks and the seed’s keys (O10)', () => {
    const refused = () => optionsOf(['--kv-connector=offloading', '--data-parallel-size=2']);
    for (const part of ['--kv-connector=offloading', '--data-parallel-size > 1', 'got 2'])
      expect(refused).toThrow(part);
  });

  it.each([
    [['--p2p-connector-port=65533', '--data-parallel-size=4'], 'exceeds 65535'],
    [['--p2p-connector-port=70000'], '--p2p-connector-port must be between 1 and 65535, got 70000'],
    [['--mooncake-bootstrap-port=0'], '--mooncake-bootstrap-port must be between 1 and 65535, got 0'],
  ])('refuses %j (O9, O10)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it('refuses a port of the environment as it does one of a flag (O9)', () => {
    expect(() => optionsOf([], { P2P_CONNECTOR_PORT: '70000' })).toThrow('got 70000');
  });

  it.each([
    [['--enable-ssrf-protection'], '--enable-ssrf-protection requires --inference-pool'],
    [['--enable-ssrf-protection', '--inference-pool=/pool'], '--inference-pool must be namespace/name'],
    [['--enable-ssrf-protection', '--inference-pool=ns/'], '--inference-pool must be namespace/name'],
    [['--inference-pool=a/b/c'], '--inference-pool must be namespace/name'],
    [['--enable-ssrf-protection', POOL, '--pool-group=other.io'], '--pool-group must be one of'],
  ])('refuses %j (O14)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it.each([
    [['--prefill-max-retries=1', '--prefill-retry-backoff=0s'], '--prefill-retry-backoff must be positive'],
    [['--prefill-max-retries=-1'], '--prefill-max-retries must be at least 0'],
    [['--prefill-retry-backoff=soon'], '--prefill-retry-backoff  expected a duration'],
    [['--decode-chunk-size=-1'], '--decode-chunk-size must be at least 0, got -1'],
    [['--max-request-body-size=0'], '--max-request-body-size must be at least 1'],
    [['--metrics-port=70000'], '--metrics-port must be a port'],
    [['--zap-log-level=loud'], 'expected error, info, debug, or a number'],
  ])('refuses %j', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it.each([
    [['--moriio-write-mode'], '--moriio-local-pod-ip'],
    [['--moriio-parallel-dispatch'], '--moriio-parallel-dispatch requires --moriio-write-mode'],
    [['--moriio-remote-hosts=a,b'], '--moriio-remote-hosts'],
    [['--moriio-decode-hosts=a', '--moriio-decode-hosts=b'], '--moriio-decode-hosts'],
    [['--moriio-decode-hosts=a,b', '--moriio-dp-size=3', '--moriio-dp-size-local=2'], 'must be divisible'],
    [['--moriio-decode-hosts=a,b', '--moriio-dp-size=2', '--moriio-dp-size-local=2'], 'count of hosts must match'],
    [['--moriio-decode-notify-port=0'], '--moriio-decode-notify-port must be between 1 and 65535'],
  ])('refuses %j (O22)', (argv, message) => {
    expect(() => optionsOf(argv)).toThrow(message);
  });

  it.each([
    '--connector',
    '--prefiller-use-tls',
    '--decoder-use-tls',
    '--prefiller-tls-insecure-skip-verify',
    '--decoder-tls-insecure-skip-verify',
    '--inference-pool-name',
    '--inference-pool-namespace',
    '--secure-serving',
  ])('does not know %s', (flag) => {
    expect(() => optionsOf([`${flag}=x`])).toThrow(`${flag}  unknown flag`);
  });

  it('does not know the variables that a pool had before', () => {
    const env = { INFERENCE_POOL_NAME: 'pool', INFERENCE_POOL_NAMESPACE: 'ns' };
    expect(() => optionsOf(['--enable-ssrf-protection'], env)).toThrow('requires --inference-pool');
  });

  it('lists everything that is wrong at once', () => {
    const argv = ['--port=0', '--kv-connector=x', '--enable-tls=x', '--decode-chunk-size=-1', '--moriio-write-mode'];
    try {
      optionsOf(argv);
      throw new Error('was not refused');
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({
        problems: [
          { path: '--port' },
          { path: '--kv-connector' },
          { path: '--decode-chunk-size' },
          { path: '--moriio-write-mode' },
          { path: '--enable-tls' },
        ],
      });
    }
  });
});
