import { z } from 'zod';
import { unknownKey } from './conform.ts';
import { nearest } from './nearest.ts';
import { defOf } from './schema-walk.ts';
import { show } from './secrets.ts';

/** Stands for a union none of whose options fit; what is said then depends on the options' own problems. */
export const NO_OPTION_FITS = 'no option fits';

/**
 * The words for a problem whose schema has none of its own, to be given to a parse as `{ error: issueMessage }`.
 * Undefined leaves it to zod.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return notWhatIsExpected(KINDS[issue.expected] ?? issue.expected, issue.input);
    case 'invalid_value':
      return notOneOf(issue.values, issue.input);
    case 'too_small':
      return outOfRange(issue, issue.minimum, AT_LEAST);
    case 'too_big':
      return outOfRange(issue, issue.maximum, AT_MOST);
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, keysOf(issue.inst))).join('\n');
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_key':
      return 'is not a key that can be used here';
    default:
      return undefined;
  }
}

/** `expected <what>, got <value>`, or that it is missing. */
export function notWhatIsExpected(what: string, input: unknown): string {
  return input === undefined ? `is required: ${what}` : `expected ${what}, got ${show(input)}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map',
  record: 'a map',
};

const AT_LEAST = { included: 'from', excluded: 'above', count: 'at least' } as const;
const AT_MOST = { included: 'up to', excluded: 'below', count: 'at most' } as const;

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', map: 'items' };

function outOfRange(
  issue: { origin: string; inclusive?: boolean; input: unknown },
  limit: number | bigint,
  words: typeof AT_LEAST | typeof AT_MOST,
): string {
  const unit = UNITS[issue.origin];
  const range = issue.inclusive === false ? words.excluded : words.included;
  if (unit === undefined) return notWhatIsExpected(`a number ${range} ${limit}`, issue.input);
  if (words === AT_LEAST && limit === 1) return 'must not be empty';
  return `must have ${words.count} ${limit} ${unit}`;
}

function notOneOf(values: readonly unknown[], input: unknown): string {
  const expected = values.map(show).join(' or ');
  const names = values.filter((value) => typeof value === 'string');
  const meant = typeof input === 'string' ? nearest(input, names) : undefined;
  return notWhatIsExpected(expected, input) + (meant === undefined ? '' : ` (did you mean ${meant}?)`);
}

function unionMessage(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { discriminator, input } = issue;
  if (discriminator === undefined)
    return issue.errors.length === 0 ? 'can be read in more than one way' : NO_OPTION_FITS;
  const options: unknown = Reflect.get(issue, 'options');
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, discriminator) : undefined;
  return notOneOf(Array.isArray(options) ? options : [], value);
}

function keysOf(owner: unknown): string[] {
  if (!(owner instanceof z.core.$ZodObject)) return [];
  const def = defOf(owner);
  return def.type === 'object' ? Object.keys(def.shape) : [];
}
