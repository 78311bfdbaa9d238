import { describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanup } from '#testing';
import { optionsOf } from './options.fixture.ts';
import { readSidecarConfig, sidecarConfig } from './sidecar.config.ts';
import { FLAG_VARIABLES, sidecarFlags } from './sidecar.flags.ts';
import type { SidecarOptions } from './sidecar.options.ts';

const SAMPLES = fileURLToPath(new URL('../../../config/sidecar/', import.meta.url));
const later = cleanup();

/** Everything that a configuration can say, none of it the default. */
const EVERYTHING = `
port: 8100
model-server-port: "8300"
data-parallel-size: 2
kv-connector: nixlv2
ec-connector: ec-nixl
enable-ssrf-protection: true
enable-prefiller-sampling: true
enable-p2p-pull: true
enable-tls: [prefiller, decoder]
tls-insecure-skip-verify: [prefiller]
secure-proxy: false
cert-path: /certs
inference-pool: ns/pool
pool-group: inference.networking.x-k8s.io
max-idle-conns-per-host: 7
prefill-max-retries: 3
prefill-retry-backoff: 1s
decode-chunk-size: 64
mooncake-bootstrap-port: 9001
p2p-connector-port: 9002
tracing: true
metrics-port: 9003
p2p-key-style: current
max-request-body-size: 64
drain-delay: 5s
shutdown-timeout: 90s
`;

const EXPECTED: Partial<SidecarOptions> = {
  port: 8100,
  modelServerPort: 8300,
  dataParallelSize: 2,
  kvConnector: 'nixlv2',
  ecConnector: 'ec-nixl',
  pool: { namespace: 'ns', name: 'pool', group: 'inference.networking.x-k8s.io' },
  samplesPrefillers: true,
  pullsPrefixes: true,
  secureStages: new Set(['prefill', 'decode']),
  unverifiedStages: new Set(['prefill']),
  tls: undefined,
  maxIdlePerHost: 7,
  prefillRetries: 3,
  prefillRetryBackoff: 1000,
  decodeChunkSize: 64,
  mooncakeBootstrapPort: 9001,
  p2pPort: 9002,
  tracing: true,
  metricsAddress: { host: '', port: 9003 },
  keyStyle: 'current',
  maxBody: 64 * 1024 * 1024,
  drainDelay: 5000,
  shutdownTimeout: 90_000,
};

/** The flag that has the text, in one form or the other. */
const INLINE = (text: string): string => `--configuration=${text}`;
const FILE = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-'));
  later(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'sidecar.yaml'), text);
  return `--configuration-file=${join(folder, 'sidecar.yaml')}`;
};

describe('the configuration of the sidecar', () => {
  it.each([
    ['text', INLINE],
    ['a file', FILE],
  ])('overrides every default, as %s (O1, O2)', (_, given) => {
    expect(optionsOf([given(EVERYTHING)])).toMatchObject(EXPECTED);
  });

  it.each([
    ['text', INLINE],
    ['a file', FILE],
  ])('yields to flags, each for itself, as %s (O3, O4)', (_, given) => {
    const flags = [
      '--enable-p2p-pull=false',
      '--mooncake-bootstrap-port=9009',
      '--max-idle-conns-per-host=9',
      '--port=1',
    ];
    expect(optionsOf([given(EVERYTHING), ...flags])).toMatchObject({
      ...EXPECTED,
      pullsPrefixes: false,
      mooncakeBootstrapPort: 9009,
      maxIdlePerHost: 9,
      port: 1,
    });
  });

  it('may be JSON', () => {
    expect(optionsOf([INLINE('{"port": "8100", "tracing": true}')])).toMatchObject({ port: 8100, tracing: true });
  });

  it.each([
    ['no YAML', 'port: [1'],
    ['no map', '- port'],
    ['an unknown key', 'prot: 1'],
    ['a key that is gone', 'connector: nixlv2'],
    ['a key twice', 'port: 1\nport: 2'],
    ['a value of another kind', 'data-parallel-size: many'],
    ['a flag that is none of a configuration', 'moriio-write-mode: true'],
  ])('is refused where it is %s (O6)', (_, text) => {
    for (const given of [INLINE, FILE]) {
      expect(() => optionsOf([given(text)])).toThrow('failed to unmarshal sidecar configuration');
    }
  });

  it('lists all that is wrong in it', () => {
    const refused = () => optionsOf([INLINE('prot: 1\ntracing: maybe\nenable-tls: 5')]);
    for (const key of ['prot', 'tracing', 'enable-tls']) expect(refused).toThrow(`  ${key}`);
  });

  it('is refused where the file cannot be read', () => {
    expect(() => optionsOf(['--configuration-file=/nowhere'])).toThrow('/nowhere: no such file');
  });

  it('comes from one place (O7)', () => {
    expect(() => optionsOf(['--configuration={}', '--configuration-file=x'])).toThrow(
      'flags --configuration and --configuration-file are mutually exclusive',
    );
  });

  it('sets nothing by a number that is 0 or a text that is empty, but for booleans and the retries', () => {
    const text = `
port: 0
data-parallel-size: 0
kv-connector: ""
enable-tls: []
decode-chunk-size: 0
enable-prefiller-sampling: false
prefill-max-retries: 0
`;
    expect(readSidecarConfig({ text, file: undefined })).toEqual({
      'enable-prefiller-sampling': false,
      'prefill-max-retries': 0,
    });
    const env = { ENABLE_PREFILLER_SAMPLING: 'true' };
    expect(optionsOf([INLINE(text)], env)).toMatchObject({
      port: 8000,
      kvConnector: 'nixlv2',
      samplesPrefillers: false,
    });
  });

  it('keeps the default for a pause that is no duration, and says so', () => {
    const { prefillRetryBackoff, warnings } = optionsOf([INLINE('prefill-retry-backoff: soon')]);
    expect(prefillRetryBackoff).toBe(200);
    expect(warnings).toEqual(['prefill-retry-backoff of the configuration is no duration; it stays 200ms']);
  });

  it('has a flag for every key, and every variable a flag that it stands for', () => {
    const names = new Set<string>(sidecarFlags.map(({ name }) => name));
    const keys = [...Object.keys(sidecarConfig.shape), ...Object.keys(FLAG_VARIABLES)];
    expect(keys.filter((key) => !names.has(key))).toEqual([]);
  });

  it.each(readdirSync(SAMPLES))('config/sidecar/%s can be started with', (file) => {
    expect(() => optionsOf([`--configuration-file=${join(SAMPLES, file)}`])).not.toThrow();
  });
});
