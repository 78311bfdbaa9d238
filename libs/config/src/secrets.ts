export const REDACTED = '[REDACTED]';

/**
 * A copy of `value` that may be printed: what stands under a secret key is `[REDACTED]`, and user names and passwords
 * in URLs are cut out.
 */
export function redact(value: unknown, key = ''): unknown {
  if (isSecret(key, value)) return REDACTED;
  if (typeof value === 'string') return withoutCredentials(value);
  if (Array.isArray(value)) return value.map((item) => redact(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, redact(child, name)]));
}

/**
 * True when the value of `key` must not be shown. A switch is no secret, and neither is a number of model tokens
 * (`max_total_tokens: 4096`, `send_tokens_field: true`).
 */
export function isSecret(key: string, value: unknown): boolean {
  if (!/token|secret|password|authorization/i.test(key)) return false;
  if (value === undefined || value === null || value === '' || typeof value === 'boolean') return false;
  return !(typeof value === 'number' && /tokens/i.test(key));
}

/** A value as a message may quote it: short, on one line, without a URL's credentials. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > MAX_SHOWN
      ? `a string of ${value.length} characters`
      : JSON.stringify(withoutCredentials(value));
  }
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'a map' : plainText(value);
}

/**
 * `message` about the value at `path`, with everything taken out that must not be printed, however the message came
 * by it: values of secret keys at or below `path`, credentials in URLs, and texts too long to quote.
 */
export function safeMessage(message: string, path: readonly PropertyKey[], value: unknown): string {
  const owner = path.findLast((segment) => typeof segment === 'string' && isSecret(segment, value));
  const quoted = [...scalars(value, owner !== undefined)].filter(
    ({ text, secret }) => secret || text.length > MAX_SHOWN,
  );
  return quoted.reduce<string>((safe, { text, secret }) => {
    const shown = secret ? REDACTED : show(text);
    return safe.replaceAll(JSON.stringify(text), shown).replaceAll(text, shown);
  }, withoutCredentials(message));
}

/** Longest value a message quotes, in characters. */
const MAX_SHOWN = 80;

function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/\S*@/g, `//${REDACTED}@`);
}

function* scalars(value: unknown, secret: boolean): Generator<{ text: string; secret: boolean }> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) yield* scalars(child, secret || isSecret(key, child));
  } else if (value !== undefined && value !== null && value !== '') {
    yield { text: plainText(value), secret };
  }
}

/** The text of a number or a switch, and of a text itself; null is `null`. */
function plainText(value: unknown): string {
  return typeof value === 'string' ? value : `${value as number | boolean | null}`; // no object gets here
}
