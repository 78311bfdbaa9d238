import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { jsonSchemaOf, parseTree, readTree, variablesOf } from '#config';
import { BUILT_IN_STEPS } from '#steps';
import { leavesOf, valueAt } from '#testing';
import { coordinatorConfig, loadCoordinatorConfig, stepsOf } from './coordinator.config.ts';

const FOLDER = fileURLToPath(new URL('../../../config/', import.meta.url));
const LAYERS = { env: {}, envPrefix: 'COORDINATOR' };
const schema = coordinatorConfig(stepsOf(BUILT_IN_STEPS));

const keys = leavesOf(jsonSchemaOf(schema, { title: 'x' })).filter(([path]) => path !== 'pipeline.steps');
const parameters = stepsOf(BUILT_IN_STEPS).flatMap(({ type, schema: params }) =>
  leavesOf(jsonSchemaOf(params, { title: 'x' }))
    .filter(([path]) => path !== '')
    .map(([path, fallback]) => [type, path, fallback] as const),
);

const example = readFileSync(`${FOLDER}coordinator.yaml`, 'utf8');
/** A `#` with nothing between it and a key is a key that is switched off; words have a space. */
const everyKey = example.replaceAll(/^(\s*)#(?=\S)/gm, '$1');
const live = readTree({ text: example }).values;
const all = readTree({ text: everyKey }).values;

function paramsOf(tree: unknown, type: string): unknown {
  const steps = z.array(z.looseObject({ type: z.string() })).parse(valueAt(tree, 'pipeline.steps'));
  return steps.find((step) => step.type === type)?.['params'];
}

describe('config/', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'async-worker.yaml');

  it.each([...files, 'local/coordinator.yaml'])('%s is a configuration that starts', async (name) => {
    await expect(loadCoordinatorConfig({ file: FOLDER + name, ...LAYERS })).resolves.toMatchObject({ warnings: [] });
  });

  it.each(files)('%s names the schema that editors check it with', (name) => {
    expect(readFileSync(FOLDER + name, 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=\.\/coordinator\.schema\.json\n/,
    );
  });
});

describe('config/coordinator.yaml', () => {
  it('still starts with every key switched on', () => {
    const parsed = parseTree({ name: 'every key', values: all }, schema, LAYERS);
    expect(parsed.config.pipeline.steps).toHaveLength(BUILT_IN_STEPS.length);
  });

  it.each(keys)('has %s, and shows its default where it is switched off', (path, fallback) => {
    expect(valueAt(all, path)).toBeDefined();
    if (valueAt(live, path) === undefined) expect(valueAt(all, path)).toEqual(fallback);
  });

  it.each(parameters)('has %s with %s, and shows its default where it has one', (type, path, fallback) => {
    const shown = valueAt(paramsOf(all, type), path);
    expect(shown).toBeDefined();
    if (fallback !== undefined) expect(shown).toEqual(fallback);
  });
});

describe('coordinatorConfig', () => {
  const base = { gateway: { address: 'http://gateway' }, pipeline: { steps: [{ type: 'decode' }] } };

  const SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'];

  /** Upstream's keys (`coordinator.md` G.2): as they are written, in a variable, and as the code gets them. */
  const UPSTREAM_KEYS: readonly (readonly [path: string, written: unknown, variable: string, read: unknown])[] = [
    ['log_level', 3, '3', 3],
    ['tracing', true, 'true', true],
    ['server.listen_addr', '127.0.0.1:81', '127.0.0.1:81', { host: '127.0.0.1', port: 81 }],
    ['server.metrics_port', 0, '0', 0],
    ['server.metrics_cert_dir', '/metrics', '/metrics', '/metrics'],
    ['server.secure_serving', true, 'true', true],
    ['server.cert_path', '/tls', '/tls', '/tls'],
    ['server.tls_min_version', 'VersionTLS13', 'VersionTLS13', 'VersionTLS13'],
    ['server.tls_cipher_suites', SUITES, SUITES.join(','), SUITES],
    ['server.read_timeout', '1s', '1s', 1_000],
    ['server.write_timeout', '2s', '2s', 2_000],
    ['server.shutdown_timeout', '3s', '3s', 3_000],
    ['server.max_request_body_size', 1, '1', 1],
    ['gateway.address', 'http://other:80', 'http://other:80', 'http://other'],
    ['gateway.max_idle_conns_per_host', 200, '200', 200],
    ['gateway.idle_conn_timeout', '4s', '4s', 4_000],
    ['gateway.timeout', '1m30s', '1m30s', 90_000],
    ['pipeline.kv_connector', 'kv-nixl', 'kv-nixl', 'kv-nixl'],
    ['pipeline.ec_connector', 'ec-nixl', 'ec-nixl', 'ec-nixl'],
    ['pipeline.use_openai_format', false, 'false', false],
    ['pipeline.forward_response_headers', ['X-A', 'x-b'], 'X-A,x-b', ['x-a', 'x-b']],
  ];

  it.each(UPSTREAM_KEYS)('takes %s from the file', (path, written, _variable, read) => {
    const [section = '', key] = path.split('.');
    const values = {
      ...base,
      [section]: key === undefined ? written : { ...(valueAt(base, section) ?? {}), [key]: written },
    };
    expect(valueAt(parseTree({ name: 'file', values }, schema, LAYERS).config, path)).toEqual(read);
  });

  it.each(UPSTREAM_KEYS)('takes %s from its variable', (path, _written, variable, read) => {
    const name = `COORDINATOR_${path.replace('.', '_').toUpperCase()}`;
    expect(variablesOf(schema, 'COORDINATOR').get(path)).toBe(name);
    const { config, warnings } = parseTree({ name: 'file', values: base }, schema, {
      ...LAYERS,
      env: { [name]: variable },
    });
    expect(valueAt(config, path)).toEqual(read);
    expect(warnings).toEqual([]);
  });

  it('takes an empty connector and a body size of 0 in variables, which both mean the default', () => {
    const { config } = parseTree({ name: 'file', values: base }, schema, {
      ...LAYERS,
      env: { COORDINATOR_PIPELINE_KV_CONNECTOR: '', COORDINATOR_SERVER_MAX_REQUEST_BODY_SIZE: '0' },
    });
    expect([config.pipeline.kv_connector, config.server.max_request_body_size]).toEqual(['', 0]);
  });
});
