import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { redact } from './secrets.ts';

/** YAML of an effective tree that may be printed and logged: secrets are `[REDACTED]`. */
export function renderEffective(tree: unknown): string {
  return stringify(redact(tree), { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * Twelve hex digits that are the same for the same effective tree, whatever the order of its keys. Secrets do not enter:
 * the hash is shown where a secret could be guessed from it.
 */
export function configHash(tree: unknown): string {
  const canonical = JSON.stringify(redact(tree), (_, value: unknown) => sorted(value));
  return createHash('sha256').update(canonical).digest('hex').slice(0, 12);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
