/**
 * Milliseconds of a Go duration (`300ms`, `1m30s`, `1.5h`, `0`), or undefined when the text is none, is negative,
 * or is longer than Go can hold (about 292 years). Fractions below a nanosecond are cut off, as Go does.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > MAX_LENGTH) return undefined;
  if (!/^\+?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  const terms = [...text.matchAll(/([\d.]+)([a-zµμ]+)/g)];
  const total = terms.reduce((sum, [, amount, unit]) => sum + nanoseconds(amount, unit), 0n);
  if (total > MAX_NANOSECONDS) return undefined;
  return Number(total / MILLISECOND) + Number(total % MILLISECOND) / 1e6;
}

/** The shortest Go duration for `milliseconds` (≥ 0), exact to the nanosecond: `90000` → `1m30s`, `60000` → `1m`. */
export function formatDuration(milliseconds: number): string {
  const whole = Math.trunc(milliseconds);
  const total = BigInt(whole) * MILLISECOND + BigInt(Math.round((milliseconds - whole) * 1e6));
  if (total === 0n) return '0s';
  if (total < 1_000n) return `${total}ns`;
  if (total < MILLISECOND) return `${decimal(total, 3)}us`;
  if (total < SECOND) return `${decimal(total, 6)}ms`;
  const hours = total / (3600n * SECOND);
  const minutes = (total / (60n * SECOND)) % 60n;
  const rest = total % (60n * SECOND);
  return `${hours > 0n ? `${hours}h` : ''}${minutes > 0n ? `${minutes}m` : ''}${rest > 0n ? `${decimal(rest, 9)}s` : ''}`;
}

const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MAX_NANOSECONDS = 2n ** 63n - 1n;
/** No sensible duration is longer; a longer text would only cost time in the arithmetic. */
const MAX_LENGTH = 100;

/** The two spellings of µs are U+00B5 and U+03BC; Go takes both. */
const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: MILLISECOND,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

function nanoseconds(amount = '', unit = ''): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  const factor = NANOSECONDS[unit] ?? 0n;
  return BigInt(whole) * factor + (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
}

/** `value` / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = (value % scale).toString().padStart(places, '0').replace(/0+$/, '');
  return `${value / scale}${fraction === '' ? '' : `.${fraction}`}`;
}
