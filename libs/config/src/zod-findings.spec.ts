import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { issueMessage } from './issue-message.ts';
import { zodFindings } from './zod-findings.ts';

/** `path: message` for each finding. */
function findings(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: issueMessage });
  return zodFindings(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('zodFindings', () => {
  const step = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('render'), params: z.strictObject({ address: z.string() }) }),
    z.strictObject({ type: z.literal('encode'), params: z.strictObject({ max_parallel: z.number() }) }),
  ]);

  it.each([
    [{ type: 'render', params: { address: 5 } }, ['0.params.address: expected a string, got 5']],
    [
      { type: 'encode', params: { max_paralel: 5 } },
      [
        '0.params.max_parallel: is required: a number',
        '0.params.max_paralel: unknown key (did you mean max_parallel?)',
      ],
    ],
    [{ type: 'rendr' }, ['0.type: expected "render" or "encode", got "rendr" (did you mean render?)']],
    [{}, ['0.type: is required: "render" or "encode"']],
    ['render', ['0: expected a map, got "render"']],
  ])('puts the problem of a step where it is: %j', (value, expected) => {
    expect(findings(z.array(step), [value])).toEqual(expected);
  });

  it('keeps the words that a union has of its own', () => {
    const named = z.discriminatedUnion('type', [z.object({ type: z.literal('a') })], {
      error: ({ input }) => `unknown step: ${JSON.stringify(input)}`,
    });
    expect(findings(named, { type: 'b' })).toEqual(['type: unknown step: {"type":"b"}']);
    const plain = z.union([z.string(), z.number()], { error: 'a word or a number' });
    expect(findings(plain, true)).toEqual([': a word or a number']);
  });

  const union = z.union([
    z.string(),
    z.strictObject({ kind: z.literal('x'), size: z.int() }),
    z.strictObject({ kind: z.literal('y'), name: z.string() }),
  ]);

  it.each([
    [5, ['u: expected a string or a map, got 5']],
    [{ kind: 'x', size: 'big' }, ['u.size: expected a number, got "big"']],
    [{ kind: 'y', name: 1 }, ['u.name: expected a string, got 1']],
  ])('finds the option of a plain union that was meant: %j', (value, expected) => {
    expect(findings(z.object({ u: union }), { u: value })).toEqual(expected);
  });

  it('takes the option with the fewest problems for the one meant where no field tells', () => {
    const forms = z.union([z.strictObject({ a: z.string(), b: z.string() }), z.strictObject({ c: z.string() })]);
    expect(findings(forms, { c: 5 })).toEqual(['c: expected a string, got 5']);
  });

  it('joins what the options expect where none of them is meant', () => {
    const kinds = z.union([z.strictObject({ kind: z.literal('x') }), z.strictObject({ kind: z.literal('y') })]);
    expect(findings(kinds, { kind: 'z' })).toEqual(['kind: expected "x" or "y", got "z"']);
    expect(findings(z.union([z.boolean(), z.enum(['auto'])]), 'no')).toEqual([
      ': expected true or false or "auto", got "no"',
    ]);
  });

  it('passes custom issues through, with their paths', () => {
    const schema = z.object({ steps: z.array(z.unknown()) }).superRefine((_, context) => {
      context.addIssue({
        code: 'custom',
        path: ['steps', 1, 'params', 'use_openai_format'],
        message: 'needs a "render" step',
      });
    });
    expect(findings(schema, { steps: [] })).toEqual(['steps.1.params.use_openai_format: needs a "render" step']);
  });

  it('passes the issues of a schema parsed inside a refinement through', () => {
    const inner = z.strictObject({ timeout: z.string().optional() });
    const schema = z.array(z.unknown()).superRefine((steps, context) => {
      for (const [index, value] of steps.entries()) {
        for (const issue of inner.safeParse(value, { error: issueMessage }).error?.issues ?? []) {
          // What zod hands out as an issue is what it takes back; its types tell the two apart.
          const again = { ...issue, input: value, path: [index, ...issue.path] } as z.core.$ZodRawIssue;
          context.issues.push(again);
        }
      }
    });
    expect(findings(schema, [{ timeout: 5, time_out: 1 }])).toEqual([
      '0.timeout: expected a string, got 5',
      '0.time_out: unknown key (did you mean timeout?)',
    ]);
  });

  it('names the key of a map that cannot be one', () => {
    const schema = z.record(z.string().regex(/^[a-z]+$/, 'names are lower-case letters'), z.string());
    expect(findings(schema, { A1: 'x' })).toEqual(['A1: names are lower-case letters']);
  });
});
