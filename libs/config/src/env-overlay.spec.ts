import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { baseUrl } from './address-fields.ts';
import { envOverlay, variablesOf } from './env-overlay.ts';
import { duration, headerName, integer } from './fields.ts';

const schema = z.strictObject({
  log_level: integer({ min: 0 }).default(2),
  tracing: z.boolean().default(false),
  server: z
    .strictObject({
      read_timeout: duration('30s').describe('Read timeout.'),
      cert_path: z.string().default(''),
      tls: z.strictObject({ names: z.array(z.string()).default([]) }).optional(),
    })
    .prefault({}),
  gateway: z.strictObject({ address: baseUrl(), mode: z.enum(['on', 'off']).default('on') }),
  pipeline: z.strictObject({
    forward: z.array(headerName()).default([]),
    ports: z.array(integer()).default([]),
    steps: z.array(z.strictObject({ type: z.string() })).default([]),
    auto: z
      .union([z.boolean(), z.enum(['auto'])])
      .nullable()
      .default('auto'),
    version: z
      .union([z.literal(1), z.literal(2)])
      .readonly()
      .default(1),
    limits: z.record(z.string(), z.number()).default({}),
    pre: z.preprocess((value) => value, z.string()),
    piped: z
      .string()
      .transform((text) => text.length)
      .optional(),
  }),
});

function settings(env: Record<string, string | undefined>): Record<string, unknown> {
  return Object.fromEntries(
    envOverlay(schema, env, 'COORDINATOR').settings.map(({ path, value }) => [path.join('.'), value]),
  );
}

describe('envOverlay', () => {
  it.each<[string, string, string, unknown]>([
    ['LOG_LEVEL', '4', 'log_level', 4],
    ['LOG_LEVEL', ' 4\n', 'log_level', 4],
    ['TRACING', 'true', 'tracing', true],
    ['TRACING', '1', 'tracing', true],
    ['TRACING', 'False', 'tracing', false],
    ['TRACING', '0', 'tracing', false],
    ['SERVER_READ_TIMEOUT', '10s', 'server.read_timeout', '10s'],
    ['SERVER_CERT_PATH', '/tls', 'server.cert_path', '/tls'],
    ['SERVER_TLS_NAMES', 'A, B,,C', 'server.tls.names', ['A', 'B', 'C']],
    ['GATEWAY_ADDRESS', 'http://gw', 'gateway.address', 'http://gw'],
    ['GATEWAY_MODE', 'off', 'gateway.mode', 'off'],
    ['PIPELINE_FORWARD', 'x-a', 'pipeline.forward', ['x-a']],
    ['PIPELINE_PORTS', '1,2', 'pipeline.ports', [1, 2]],
    ['PIPELINE_AUTO', 'auto', 'pipeline.auto', 'auto'],
    ['PIPELINE_AUTO', 'true', 'pipeline.auto', true],
    ['PIPELINE_VERSION', '2', 'pipeline.version', 2],
    ['PIPELINE_PRE', 'a', 'pipeline.pre', 'a'],
    ['PIPELINE_PIPED', 'a', 'pipeline.piped', 'a'],
  ])('COORDINATOR_%s=%j sets %s to %j', (variable, text, path, value) => {
    expect(settings({ [`COORDINATOR_${variable}`]: text })).toEqual({ [path]: value });
  });

  it.each([
    ['TRACING', 'maybe', 'tracing'],
    ['LOG_LEVEL', '0x4', 'log_level'],
    ['PIPELINE_AUTO', 'never', 'pipeline.auto'],
  ])('leaves COORDINATOR_%s=%s as it is for the schema to refuse', (variable, text, path) => {
    expect(settings({ [`COORDINATOR_${variable}`]: text })).toEqual({ [path]: text });
  });

  it('takes an empty variable for set only where an empty text is a value', () => {
    const names = [
      'SERVER_CERT_PATH',
      'SERVER_READ_TIMEOUT',
      'LOG_LEVEL',
      'TRACING',
      'GATEWAY_ADDRESS',
      'GATEWAY_MODE',
      'PIPELINE_FORWARD',
    ];
    expect(settings(Object.fromEntries(names.map((name) => [`COORDINATOR_${name}`, ''])))).toEqual({
      'server.cert_path': '',
    });
  });

  it.each([
    'COORDINATOR_PIPELINE_STEPS',
    'COORDINATOR_PIPELINE_LIMITS',
    'COORDINATOR_SERVER',
    'OTHER_TRACING',
    'coordinator_tracing',
    'COORDINATORTRACING',
  ])('sets nothing by %s', (variable) => {
    expect(settings({ [variable]: 'true' })).toEqual({});
  });

  it('warns of variables that set nothing, with the nearest one when it is near', () => {
    const { warnings } = envOverlay(
      schema,
      {
        COORDINATOR_LOG_LEVL: '1',
        COORDINATOR_WHATEVER: '1',
        OTHER: '1',
        COORDINATOR_TRACING: '1',
        COORDINATOR_UNSET: undefined,
      },
      'COORDINATOR',
    );
    expect(warnings).toEqual([
      'COORDINATOR_LOG_LEVL sets nothing (did you mean COORDINATOR_LOG_LEVEL?)',
      'COORDINATOR_WHATEVER sets nothing',
    ]);
  });

  it('does not warn of what Kubernetes sets for a Service of that name', () => {
    const env = Object.fromEntries(
      [
        'SERVICE_HOST',
        'SERVICE_PORT',
        'SERVICE_PORT_HTTP',
        'PORT',
        'PORT_8080_TCP',
        'PORT_8080_TCP_PROTO',
        'PORT_8080_TCP_PORT',
        'PORT_8080_TCP_ADDR',
        'METRICS_SERVICE_HOST',
      ].map((name) => [`COORDINATOR_${name}`, 'x']),
    );
    expect(envOverlay(schema, env, 'COORDINATOR')).toEqual({ settings: [], warnings: [] });
  });

  it('ends on a schema that contains itself', () => {
    const tree: z.ZodType = z.strictObject({
      name: z.string(),
      get child() {
        return tree.optional();
      },
    });
    expect([...variablesOf(tree, 'X').values()]).toEqual(['X_NAME']);
  });
});

describe('variablesOf', () => {
  it('has a variable for every key that holds a value or a list', () => {
    expect(Object.fromEntries(variablesOf(schema, 'COORDINATOR'))).toMatchObject({
      log_level: 'COORDINATOR_LOG_LEVEL',
      'server.tls.names': 'COORDINATOR_SERVER_TLS_NAMES',
    });
    expect(variablesOf(schema, 'COORDINATOR').has('pipeline.steps')).toBe(false);
  });
});
