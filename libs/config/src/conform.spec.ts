import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Finding } from './conform.ts';
import { conform, unknownKey } from './conform.ts';
import { duration } from './fields.ts';

function conformed(schema: z.ZodType, value: unknown): { value: unknown; findings: string[] } {
  const findings: Finding[] = [];
  const result = conform(schema, value, findings);
  return { value: result, findings: findings.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}

describe('conform', () => {
  const step = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('render'), params: z.strictObject({ timeout: duration('30s') }).prefault({}) }),
    z.strictObject({ type: z.literal('decode'), params: z.strictObject({}).optional() }),
  ]);
  const schema = z.object({
    server: z.strictObject({ listen_addr: z.string().default(':8080') }).prefault({}),
    steps: z.array(step).default([]),
    labels: z.record(z.string(), z.strictObject({ size: z.number() })).optional(),
    extra: z.looseObject({ known: z.string() }).optional(),
    either: z.union([z.string(), z.strictObject({ inner: z.number() })]).optional(),
  });

  it('spells keys as the schema does, at every depth and in unions', () => {
    const written = {
      Server: { LISTEN_ADDR: 'x' },
      Steps: [{ Type: 'render', PARAMS: { Timeout: '1s' } }],
      either: { INNER: 1 },
    };
    expect(conformed(schema, written)).toEqual({
      value: {
        server: { listen_addr: 'x' },
        steps: [{ type: 'render', params: { timeout: '1s' } }],
        either: { inner: 1 },
      },
      findings: [],
    });
  });

  it('keeps the case of free keys, and what a loose object does not know', () => {
    const written = { labels: { Tenant: { Size: 1 } }, extra: { KNOWN: 'a', Other: { B: 1 } } };
    expect(conformed(schema, written)).toEqual({
      value: { labels: { Tenant: { size: 1 } }, extra: { known: 'a', Other: { B: 1 } } },
      findings: [],
    });
  });

  it('takes a key without a value for absent', () => {
    const written = { server: null, steps: [{ type: 'render', params: null }], labels: { a: null } };
    expect(conformed(schema, written).value).toEqual({ steps: [{ type: 'render' }], labels: {} });
  });

  it('takes a required map that is absent for an empty one, so that its required keys are named', () => {
    const gateway = z.strictObject({ address: z.string() });
    const needing = z.object({ gateway, other: gateway.optional(), third: gateway.default({ address: 'x' }) });
    expect(conformed(needing, {}).value).toEqual({ gateway: {} });
  });

  it('lists and leaves out unknown keys, wherever they are, also of a schema that is not strict', () => {
    const { value, findings } = conformed(schema, {
      sever: 1,
      server: { listen_adr: 'x', listen_addr: 'y' },
      steps: [
        { type: 'render', params: { time_out: '3s' } },
        { type: 'decode', params: { a: 1 }, zzz: 1 },
      ],
      labels: { a: { siez: 1 } },
      either: { iner: 1 },
    });
    expect(findings).toEqual([
      'sever: unknown key (did you mean server?)',
      'server.listen_adr: unknown key (did you mean listen_addr?)',
      'steps.0.params.time_out: unknown key (did you mean timeout?)',
      'steps.1.params.a: unknown key (no keys go here)',
      'steps.1.zzz: unknown key (known here: type, params)',
      'labels.a.siez: unknown key (did you mean size?)',
      'either.iner: unknown key (did you mean inner?)',
    ]);
    expect(value).toMatchObject({ server: { listen_addr: 'y' }, steps: [{ params: {} }, { params: {} }] });
  });

  it('looks for unknown keys even where it cannot tell which option is meant', () => {
    const { findings } = conformed(schema, { steps: [{ typ: 'render', params: { any: 1 } }] });
    expect(findings).toEqual(['steps.0.typ: unknown key (did you mean type?)']);
  });

  it('wants a key once, in one spelling', () => {
    expect(conformed(schema, { server: {}, Server: {} })).toEqual({
      value: { server: {} },
      findings: ['Server: is the key server a second time; keep one of them'],
    });
  });

  it('takes __proto__ for the unknown key that it is', () => {
    const written: unknown = JSON.parse('{"server": {"__proto__": {"listen_addr": "x"}}}');
    expect(conformed(schema, written)).toEqual({
      value: { server: {} },
      findings: ['server.__proto__: unknown key (known here: listen_addr)'],
    });
  });

  it.each([{ server: 5 }, { steps: 'x' }, { steps: [null] }, { labels: [] }, { either: [] }, 'text'])(
    'leaves %j to the schema',
    (written) => {
      expect(conformed(schema, written)).toEqual({ value: written, findings: [] });
    },
  );

  it('shares nothing with its input', () => {
    const written = { extra: { known: 'a', list: [{}] }, server: {} };
    const { value } = conformed(schema, written);
    expect(value).toEqual(written);
    written.extra.list.push({});
    expect(value).toHaveProperty('extra.list', [{}]);
  });
});

describe('unknownKey', () => {
  it('does not recite a long list of keys', () => {
    const many = Array.from({ length: 13 }, (_, index) => `unlike_${'abcdefghijklm'.charAt(index).repeat(8)}`);
    expect(unknownKey('zz', many)).toBe('unknown key');
  });
});
