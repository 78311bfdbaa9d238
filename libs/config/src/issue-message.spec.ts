import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { issueMessage } from './issue-message.ts';
import { zodFindings } from './zod-findings.ts';

/** `path: message` for each finding. */
function findings(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: issueMessage });
  return zodFindings(error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('issueMessage', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), 5, 'expected a string, got 5'],
    [z.string(), undefined, 'is required: a string'],
    [z.number(), '5', 'expected a number, got "5"'],
    [z.boolean(), 'yes', 'expected true or false, got "yes"'],
    [z.array(z.string()), 'a', 'expected a list, got "a"'],
    [z.strictObject({}), 'a', 'expected a map, got "a"'],
    [z.strictObject({}), [], 'expected a map, got a list'],
    [z.record(z.string(), z.string()), 3, 'expected a map, got 3'],
    [z.int(), 1.5, 'expected an integer, got 1.5'],
    [z.int().positive(), 0, 'expected a number above 0, got 0'],
    [z.number().min(2), 1, 'expected a number from 2, got 1'],
    [z.number().max(2), 3, 'expected a number up to 2, got 3'],
    [z.number().lt(2), 2, 'expected a number below 2, got 2'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().max(2), 'abc', 'must have at most 2 characters'],
    [z.array(z.string()).min(2), ['a'], 'must have at least 2 items'],
    [z.enum(['fail', 'decode']), 'decod', 'expected "fail" or "decode", got "decod" (did you mean decode?)'],
    [z.literal('a'), 5, 'expected "a", got 5'],
    [z.string().refine(() => false, 'says the schema'), 'a', 'says the schema'],
    [z.string({ error: 'own words' }), 5, 'own words'],
  ])('case %#', (schema, value, message) => {
    expect(findings(schema, value)).toEqual([`: ${message}`]);
  });

  it('tells unknown keys one by one, with the nearest known key', () => {
    expect(findings(z.strictObject({ timeout: z.string().optional() }), { time_out: 1, zz: 2 })).toEqual([
      'time_out: unknown key (did you mean timeout?)',
      'zz: unknown key (known here: timeout)',
    ]);
  });
});
