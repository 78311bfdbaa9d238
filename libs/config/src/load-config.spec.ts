import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { baseUrl, listenAddress } from './address-fields.ts';
import { ConfigError } from './config-error.ts';
import { duration, headerName, integer } from './fields.ts';
import type { ConfigLayers } from './load-config.ts';
import { parseTree } from './load-config.ts';
import { readTree } from './read-tree.ts';
import type { TreeSource } from './read-tree.ts';

const step = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('render'),
      params: z.strictObject({ address: baseUrl('render address'), timeout: duration('30s') }),
    }),
    z.strictObject({
      type: z.literal('encode'),
      params: z.strictObject({ max_parallel: integer({ min: 1 }).default(8) }).prefault({}),
    }),
    z.strictObject({ type: z.literal('decode'), params: z.strictObject({}).optional() }),
  ],
  { error: ({ input }) => `unknown step type: ${String(Reflect.get(Object(input), 'type'))}` },
);

const schema = z
  .strictObject({
    log_level: integer({ min: 0 }).default(2),
    tracing: z.boolean().default(false),
    api_token: z.string().optional(),
    server: z
      .strictObject({
        listen_addr: listenAddress().prefault(':8080'),
        metrics_port: integer({ min: 0, max: 65_535 }).default(9090),
      })
      .prefault({}),
    gateway: z.strictObject({ address: baseUrl('gateway URL'), timeout: duration('60s') }),
    pipeline: z
      .strictObject({
        use_openai_format: z.boolean().default(true),
        forward_response_headers: z.array(headerName()).default(['x-llm-d-disagg-revision']),
        steps: z.array(step).default([]),
      })
      .prefault({}),
  })
  .superRefine(({ pipeline }, context) => {
    if (pipeline.use_openai_format || pipeline.steps.some(({ type }) => type === 'render')) return;
    context.addIssue({
      code: 'custom',
      path: ['pipeline', 'use_openai_format'],
      message: 'false needs a "render" step',
    });
  });

function loadConfig(ofSchema: typeof schema, source: TreeSource & ConfigLayers): z.output<typeof schema> {
  return parseTree(readTree(source), ofSchema, source).config;
}

const MINIMAL = 'gateway: {address: "http://gw"}\n';

function load(text: string, layers: Partial<ConfigLayers> = {}): z.output<typeof schema> {
  return loadConfig(schema, { file: 'c.yaml', text, env: {}, envPrefix: 'COORDINATOR', ...layers });
}

function failure(text: string, layers: Partial<ConfigLayers> = {}): ConfigError {
  try {
    load(text, layers);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('loadConfig', () => {
  it('fills in defaults and gives values in the form the code uses', () => {
    expect(load(MINIMAL)).toEqual({
      log_level: 2,
      tracing: false,
      server: { listen_addr: { host: '', port: 8080 }, metrics_port: 9090 },
      gateway: { address: 'http://gw', timeout: 60_000 },
      pipeline: { use_openai_format: true, forward_response_headers: ['x-llm-d-disagg-revision'], steps: [] },
    });
  });

  it('is frozen at every depth', () => {
    const config = load(`${MINIMAL}pipeline: {steps: [{type: encode}]}\n`);
    const nested = [config, config.server, config.server.listen_addr, config.pipeline.steps, config.pipeline.steps[0]];
    expect(nested.map((value) => Object.isFrozen(value))).toEqual(nested.map(() => true));
  });

  it('reads a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'config-'));
    const file = join(folder, 'coordinator.yaml');
    writeFileSync(file, 'Gateway:\n  Address: http://gw/\n');
    expect(loadConfig(schema, { file, env: {}, envPrefix: 'COORDINATOR' }).gateway.address).toBe('http://gw');
    rmSync(folder, { recursive: true });
  });

  it('takes flags before the environment before the file before the default', () => {
    const text = `${MINIMAL}server: {metrics_port: 1}\n`;
    const env = { COORDINATOR_SERVER_METRICS_PORT: '2' };
    const overrides = { 'server.metrics_port': 3 };
    expect(load(MINIMAL).server.metrics_port).toBe(9090);
    expect(load(text).server.metrics_port).toBe(1);
    expect(load(text, { env }).server.metrics_port).toBe(2);
    expect(load(text, { env, overrides }).server.metrics_port).toBe(3);
  });

  it('does without a file when the environment says what is needed', () => {
    const env = { COORDINATOR_GATEWAY_ADDRESS: 'http://gw', COORDINATOR_PIPELINE_FORWARD_RESPONSE_HEADERS: 'X-A,x-b' };
    const config = loadConfig(schema, { env, envPrefix: 'COORDINATOR' });
    expect(config.pipeline.forward_response_headers).toEqual(['x-a', 'x-b']);
  });

  it('lists every problem of the file at once, in its order, with the nearest keys', () => {
    const error = failure(`
pipeline:
  steps:
    - {type: render, params: {address: "http://render"}}
    - type: encode
      params: {max_paralel: 4, max_parallel: 0}
    - {type: rendr}
pipelines: {}
gateway:
  adress: http://gw
  timeout: 30
`);
    expect(error.message).toBe(
      [
        'c.yaml is invalid:',
        '  pipeline.steps[1].params.max_paralel   unknown key (did you mean max_parallel?)',
        '  pipeline.steps[1].params.max_parallel  expected an integer from 1, got 0',
        '  pipeline.steps[2].type                 unknown step type: rendr',
        '  pipelines                              unknown key (did you mean pipeline?)',
        '  gateway.adress                         unknown key (did you mean address?)',
        '  gateway.timeout                        expected a duration such as "30s", got 30',
        '  gateway.address                        is required: an http or https URL such as "http://inference-gateway:80"',
      ].join('\n'),
    );
  });

  it('does not let an unknown key hide what the keys mean together', () => {
    const error = failure(`${MINIMAL}sever: {}\npipeline: {use_openai_format: false}\n`);
    expect(error.problems.map(({ path }) => path)).toEqual(['sever', 'pipeline.use_openai_format']);
  });

  it.each([
    ['COORDINATOR_GATEWAY_TIMEOUT', '30', 'expected a duration such as "30s", got "30"'],
    ['COORDINATOR_TRACING', 'maybe', 'expected true or false, got "maybe"'],
    ['COORDINATOR_LOG_LEVEL', '-1', 'expected an integer from 0, got -1'],
    ['COORDINATOR_LOG_LEVEL', 'info', 'expected an integer from 0, got "info"'],
    [
      'COORDINATOR_GATEWAY_ADDRESS',
      'http://',
      'the gateway URL "http://" is missing a host: write it as "http://inference-gateway:80"',
    ],
  ])('names the variable %s when its value %s is wrong', (variable, value, message) => {
    expect(failure(MINIMAL, { env: { [variable]: value } }).problems).toEqual([{ path: variable, message }]);
  });

  it('names the flag, or the key if it is not told the flag', () => {
    const overrides = { 'server.metrics_port': 70_000 };
    const message = 'expected an integer from 0 to 65535, got 70000';
    expect(failure(MINIMAL, { overrides }).problems).toEqual([{ path: 'server.metrics_port', message }]);
    const overrideNames = { 'server.metrics_port': '--metrics-port' };
    expect(failure(MINIMAL, { overrides, overrideNames }).problems).toEqual([{ path: '--metrics-port', message }]);
  });

  it('says once what is in the way of a variable', () => {
    const error = failure(`${MINIMAL}server: 5\n`, { env: { COORDINATOR_SERVER_METRICS_PORT: '1' } });
    expect(error.problems).toEqual([{ path: 'server', message: 'expected a map, got 5' }]);
  });

  it('calls a configuration without a file just that', () => {
    expect(() => loadConfig(schema, { env: {}, envPrefix: 'COORDINATOR' })).toThrow(
      /^the configuration is invalid:\n  gateway\.address /,
    );
  });

  it.each([
    [`${MINIMAL}api_token: [hunter22]\n`, {}],
    [`${MINIMAL}api_token: 87654321\n`, {}],
    [`gateway: {address: "http://user:hunter22@gw"}\n`, {}],
    [`gateway: {address: "htp://user:hunter22@gw"}\n`, {}],
    [`gateway: {address: "${'hunter22'.repeat(20)}"}\n`, {}],
    [MINIMAL, { COORDINATOR_GATEWAY_ADDRESS: 'http://user:hunter22@gw' }],
  ])('shows no secret and no long value: %j', (text, env) => {
    expect(failure(text, { env }).message).not.toMatch(/hunter22|87654321/);
  });
});

describe('parseTree', () => {
  it('returns warnings and the configuration in the form it is written in', () => {
    const tree = readTree({ text: 'gateway: {Address: "http://gw/", timeout: 90s}\n' });
    const env = { COORDINATOR_GATEWAY_TIMEOT: '1s', COORDINATOR_LOG_LEVEL: '1' };
    const { effective, warnings } = parseTree(tree, schema, { env, envPrefix: 'COORDINATOR' });
    expect(warnings).toEqual(['COORDINATOR_GATEWAY_TIMEOT sets nothing (did you mean COORDINATOR_GATEWAY_TIMEOUT?)']);
    expect(effective).toEqual({
      log_level: 1,
      tracing: false,
      server: { listen_addr: ':8080', metrics_port: 9090 },
      gateway: { address: 'http://gw', timeout: '1m30s' },
      pipeline: { use_openai_format: true, forward_response_headers: ['x-llm-d-disagg-revision'], steps: [] },
    });
  });

  it('reads part of a tree before the whole schema is known, and leaves the tree for later', () => {
    const tree = readTree({ text: `${MINIMAL}Pipeline: {Modules: [./a.ts], other: 5}\n` });
    const before = structuredClone(tree);
    const partial = z.looseObject({
      pipeline: z.looseObject({ modules: z.array(z.string()).default([]) }).prefault({}),
    });
    const read = (env: Record<string, string>) =>
      parseTree(tree, partial, { env, envPrefix: 'COORDINATOR' }).config.pipeline.modules;
    expect(read({})).toEqual(['./a.ts']);
    expect(read({ COORDINATOR_PIPELINE_MODULES: './b.ts,./c.ts' })).toEqual(['./b.ts', './c.ts']);
    expect(tree).toEqual(before);
  });

  it('says the same of a value wherever it comes from', () => {
    const values = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('30s', '30', '-1s', 'true', '', ' 1m '));
    fc.assert(
      fc.property(values, (text) => {
        const outcome = (layers: Partial<ConfigLayers>, file = {}) => {
          const tree = { name: undefined, values: { gateway: { address: 'http://gw', ...file } } };
          try {
            return parseTree(tree, schema, { env: {}, envPrefix: 'C', ...layers }).config.gateway.timeout;
          } catch (error) {
            return error instanceof ConfigError ? error.problems.map(({ message }) => message) : error;
          }
        };
        const inFile = outcome({}, { timeout: text });
        expect(outcome({ overrides: { 'gateway.timeout': text } })).toEqual(inFile);
        if (text !== '') expect(outcome({ env: { C_GATEWAY_TIMEOUT: text } })).toEqual(inFile);
      }),
    );
  });
});
