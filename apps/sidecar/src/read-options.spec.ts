import { describe, expect, it } from '@jest/globals';
import { optionsOf } from './options.fixture.ts';

describe('readOptions', () => {
  it('has upstream’s defaults', () => {
    expect(optionsOf([])).toMatchObject({
      port: 8000,
      modelServerPort: 8200,
      dataParallelSize: 1,
      podIp: undefined,
      kvConnector: 'nixlv2',
      ecConnector: undefined,
      keyStyle: 'seed',
      mooncakeBootstrapPort: 8998,
      sglangBootstrapPort: 8998,
      p2pPort: 7777,
      pullsPrefixes: false,
      samplesPrefillers: false,
      prefillRetries: 0,
      prefillRetryBackoff: 200,
      decodeChunkSize: 0,
      tls: { folder: '', minVersion: 'VersionTLS12' },
      maxIdlePerHost: 1024,
      pool: undefined,
      maxBody: 512 * 1024 * 1024,
      drainDelay: 0,
      shutdownTimeout: 60_000,
      metricsAddress: undefined,
      tracing: false,
      verbosity: 2,
      warnings: [],
      moriio: {
        writeMode: false,
        parallelDispatch: false,
        decodeWaitTimeout: 30_000,
        decodeNotifyPort: 61_005,
        prefillHandshakePort: 6301,
        tpSize: 1,
        dpSize: 1,
        dpSizeLocal: 0,
        remoteHosts: [],
      },
      moriioDns: { ttl: 30_000, timeout: 5000 },
    });
  });

  it('limits suites below TLS 1.3 to ECDHE with AEAD', () => {
    const suites = optionsOf([]).tls?.cipherSuites ?? [];
    expect(suites).toHaveLength(6);
    for (const suite of suites) expect(suite).toMatch(/^TLS_ECDHE_(RSA|ECDSA)_WITH_(AES_(128|256)_GCM|CHACHA20)/);
  });

  it('serves plain HTTP where it is asked to', () => {
    expect(optionsOf(['--secure-proxy=false']).tls).toBeUndefined();
  });

  it('reads a pool and a switch from the environment, and no tracing (O8)', () => {
    const env = { INFERENCE_POOL: 'ns/pool', ENABLE_PREFILLER_SAMPLING: 'true' };
    const options = optionsOf(['--enable-ssrf-protection'], env);
    expect(options).toMatchObject({ samplesPrefillers: true, tracing: false });
    expect(options.pool).toEqual({ namespace: 'ns', name: 'pool', group: 'inference.networking.k8s.io' });
  });

  it.each([
    [{ P2P_CONNECTOR_PORT: '9500' }, { p2pPort: 9500 }],
    [{ P2P_CONNECTOR_PORT: 'many' }, { p2pPort: 7777 }],
    [{ MOONCAKE_BOOTSTRAP_PORT: '9000' }, { mooncakeBootstrapPort: 9000 }],
    [{ MOONCAKE_BOOTSTRAP_PORT: '90.0' }, { mooncakeBootstrapPort: 8998 }],
    [{ SGLANG_BOOTSTRAP_PORT: '9001' }, { sglangBootstrapPort: 9001 }],
    [{ SGLANG_BOOTSTRAP_PORT: '' }, { sglangBootstrapPort: 8998 }],
    [{ ENABLE_PREFILLER_SAMPLING: 'T' }, { samplesPrefillers: true }],
    [{ ENABLE_PREFILLER_SAMPLING: 'yes' }, { samplesPrefillers: false }],
    [{ POD_IP: '10.0.0.9' }, { podIp: '10.0.0.9', moriio: { podIp: '10.0.0.9' } }],
    [{ MORIIO_METRICS_ADDR: ':9090' }, { metricsAddress: { host: '', port: 9090 } }],
    [{ MORIIO_METRICS_ADDR: 'nonsense' }, { metricsAddress: undefined }],
    [{ MORIIO_DNS_RESOLVE_TTL_SECONDS: '45' }, { moriioDns: { ttl: 45_000 } }],
    [{ MORIIO_DNS_RESOLVE_TTL_SECONDS: '0' }, { moriioDns: { ttl: 30_000 } }],
    [{ MORIIO_DNS_RESOLVE_TTL_SECONDS: 'notanumber' }, { moriioDns: { ttl: 30_000 } }],
    [{ MORIIO_DNS_RESOLVE_TIMEOUT_SECONDS: '12' }, { moriioDns: { timeout: 12_000 } }],
    [{ MORIIO_DNS_RESOLVE_TIMEOUT_SECONDS: '-3' }, { moriioDns: { timeout: 5000 } }],
  ])('makes of the environment %j %j (O9, D1)', (env, expected) => {
    expect(optionsOf([], env)).toMatchObject(expected);
  });

  it.each([
    [['--p2p-connector-port=9600'], { P2P_CONNECTOR_PORT: '9500' }, { p2pPort: 9600 }],
    [['--enable-prefiller-sampling=false'], { ENABLE_PREFILLER_SAMPLING: 'true' }, { samplesPrefillers: false }],
    [['--moriio-local-pod-ip=pod'], { POD_IP: '10.0.0.9' }, { moriio: { podIp: 'pod' } }],
    [['--metrics-port=9100'], { MORIIO_METRICS_ADDR: ':9090' }, { metricsAddress: { host: '', port: 9100 } }],
    [['--configuration={p2p-connector-port: 9700}'], { P2P_CONNECTOR_PORT: '9500' }, { p2pPort: 9700 }],
  ])('has %j win over the environment %j', (argv, env, expected) => {
    expect(optionsOf(argv, env)).toMatchObject(expected);
  });

  it.each([
    ['team/pool', { namespace: 'team', name: 'pool' }],
    ['pool', { namespace: 'default', name: 'pool' }],
  ])('reads the pool %s (O19)', (text, expected) => {
    expect(optionsOf(['--enable-ssrf-protection', `--inference-pool=${text}`]).pool).toMatchObject(expected);
  });

  it('does not ask for pods where nothing is protected, be there a pool or none (O14, O19)', () => {
    expect(optionsOf(['--inference-pool=']).pool).toBeUndefined();
    expect(optionsOf(['--inference-pool=ns/pool', '--pool-group=any']).pool).toBeUndefined();
  });

  it.each([
    [['--enable-tls=prefiller'], ['prefill']],
    [['--enable-tls=decoder'], ['decode']],
    [['--enable-tls=prefiller,decoder,encoder'], ['prefill', 'decode', 'encode']],
    [
      ['--enable-tls=prefiller', '--enable-tls', 'decoder'],
      ['prefill', 'decode'],
    ],
    [[], []],
  ])('calls by %j the stages %j with TLS (O13, O21)', (argv, expected) => {
    expect([...optionsOf(argv).secureStages]).toEqual(expected);
  });

  it('takes any certificate of the stages that are named, and of no other (O21)', () => {
    const options = optionsOf(['--tls-insecure-skip-verify=decoder', '--enable-tls=prefiller,decoder']);
    expect([...options.unverifiedStages]).toEqual(['decode']);
  });

  it.each([
    ['nixlv2', 'shared-storage', 'sglang', 'mooncake', 'offloading'].map((name) => [`--kv-connector=${name}`]),
    [['--ec-connector=ec-nixl'], ['--ec-connector=ec-example']],
    [['--data-parallel-size=2'], ['--port=65534', '--model-server-port=65534', '--data-parallel-size=2']],
    [['--enable-p2p-pull']],
    [['--p2p-connector-port=65532', '--data-parallel-size=4']],
    [['--kv-connector=offloading', '--data-parallel-size=2', '--p2p-key-style=current']],
  ])('takes each of %j (O5, O10, O11, O12, O15, O16)', (...commandLines) => {
    for (const argv of commandLines) expect(() => optionsOf(argv)).not.toThrow();
  });

  it.each([
    [['--model-server-port=9001', '--vllm-port=9002'], 9001],
    [['--vllm-port=9002'], 9002],
    [[], 8200],
    [['--configuration={model-server-port: 9003}'], 9003],
    [['--configuration={vllm-port: 9004}'], 9004],
    [['--configuration={model-server-port: 9003, vllm-port: 9004}'], 9003],
    [['--vllm-port=9002', '--configuration={model-server-port: 9003}'], 9002],
  ])('finds the engine of %j at %d (O20)', (argv, port) => {
    expect(optionsOf(argv).modelServerPort).toBe(port);
  });

  it('says that --vllm-port has another name', () => {
    expect(optionsOf(['--vllm-port=9002']).warnings).toEqual(['--vllm-port is deprecated: use --model-server-port']);
  });

  it.each([
    ['error', 1],
    ['info', 2],
    ['0', 2],
    ['3', 3],
    ['debug', 4],
    ['4', 4],
    ['10', 5],
  ])('logs at --zap-log-level=%s with verbosity %d', (level, expected) => {
    expect(optionsOf([`--zap-log-level=${level}`]).verbosity).toBe(expected);
  });

  it('accepts what logs cannot be told, and says so', () => {
    const { warnings } = optionsOf(['--zap-devel', '--zap-encoder=console', '--zap-time-encoding=epoch']);
    expect(warnings).toHaveLength(3);
  });

  it.each([[-1], [0]])('keeps the usual number of idle connections for %d', (idle) => {
    expect(optionsOf([`--max-idle-conns-per-host=${idle}`]).maxIdlePerHost).toBe(1024);
  });

  it('shows what settings are, by the names of their flags, wherever they come from', () => {
    const env = { P2P_CONNECTOR_PORT: '9500' };
    const { effective } = optionsOf(['--port=9000', '--configuration={kv-connector: sglang}'], env);
    expect(effective).toMatchObject({
      port: '9000',
      'model-server-port': '8200',
      'kv-connector': 'sglang',
      'p2p-connector-port': 9500,
    });
    expect(Object.keys(effective)).not.toContain('configuration');
  });
});
