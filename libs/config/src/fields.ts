import { z } from 'zod';
import { formatDuration, parseDuration } from './duration.ts';
import { notWhatIsExpected } from './issue-message.ts';
import { writtenText } from './written-text.ts';
import { show } from './secrets.ts';

export type DurationField = z.ZodCodec<z.ZodString, z.ZodNumber>;
export type HeaderNameField = z.ZodCodec<z.ZodString, z.ZodString>;

/** Bounds of a number, both included. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/**
 * A Go duration such as `30s`; read as milliseconds, 0 or more, with fractions. What is longer than a timer can wait
 * (2^31 - 1 ms, 24.8 days) counts as that long.
 * @param fallback used when the key is absent, written as in the file
 * @param limits `min` is the shortest duration allowed, for settings where 0 makes no sense
 */
export function duration(fallback?: undefined, limits?: { min?: string }): DurationField;
export function duration(fallback: string, limits?: { min?: string }): z.ZodPrefault<DurationField>;
export function duration(
  fallback?: string,
  limits: { min?: string } = {},
): DurationField | z.ZodPrefault<DurationField> {
  const least = limits.min === undefined ? 0 : (parseDuration(limits.min) ?? 0);
  const what = limits.min === undefined ? 'a duration such as "30s"' : `a duration from ${limits.min}, such as "30s"`;
  const field = z.codec(
    writtenText(what, { pattern: DURATION_PATTERN, examples: ['30s', '1m30s', '300ms'] }),
    z.number(),
    {
      decode: (text, payload) => {
        const milliseconds = parseDuration(text.trim());
        if (milliseconds !== undefined && milliseconds >= least) return Math.min(milliseconds, LONGEST_WAIT);
        payload.issues.push({ code: 'custom', input: text, message: notWhatIsExpected(what, text) });
        return z.NEVER;
      },
      encode: formatDuration,
    },
  );
  return fallback === undefined ? field : field.prefault(fallback);
}

/** An integer, also when written `8192.0`; a text, a switch or a fraction is refused. */
export function integer(range: Range = {}): z.ZodInt {
  return bounded(range, `an integer${rangeWords(range)}`);
}

/** A size in MiB, read as that number of MiB (not bytes), small enough for the bytes to be a safe integer. */
export function mebibytes(range: Range = {}): z.ZodInt {
  const limits = { min: range.min ?? 0, max: range.max ?? MAX_MEBIBYTES };
  const words = rangeWords(range.max === undefined ? { min: limits.min } : limits);
  return bounded(limits, `a size in MiB, an integer${words}`);
}

/** The name of an HTTP header; read trimmed and in lower case. */
export function headerName(): HeaderNameField {
  const what = 'the name of a header, such as "x-request-id"';
  return z.codec(writtenText(what, { pattern: HEADER_PATTERN, examples: ['x-request-id'] }), z.string(), {
    decode: (text, payload) => {
      const name = text.trim().toLowerCase();
      if (TOKEN.test(name)) return name;
      payload.issues.push({ code: 'custom', input: text, message: `expected ${what}, got ${show(text)}` });
      return z.NEVER;
    },
    encode: (name) => name,
  });
}

/** Node's timers fire at once when asked to wait longer. */
const LONGEST_WAIT = 2 ** 31 - 1;
const MAX_MEBIBYTES = Math.floor(Number.MAX_SAFE_INTEGER / 2 ** 20);
const DURATION_PATTERN = '^\\s*\\+?(0|((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)\\s*$';
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_PATTERN = `^\\s*${TOKEN.source.slice(1, -1)}\\s*$`;

function bounded({ min, max }: Range, what: string): z.ZodInt {
  const error = ({ input }: { input: unknown }): string => notWhatIsExpected(what, input);
  const field = z.int({ error });
  const fromMin = min === undefined ? field : field.min(min, { error });
  return max === undefined ? fromMin : fromMin.max(max, { error });
}

function rangeWords({ min, max }: Range): string {
  return (
    (min === undefined ? '' : ` from ${min}`) +
    (max === undefined ? '' : min === undefined ? ` up to ${max}` : ` to ${max}`)
  );
}
