import { RequestNote } from './request-note.ts';

/**
 * Whether a `Prefer` header asks for an answer only where one is at hand: `if-available` as an item of the list, in any case, whatever
 * parameters follow it (RFC 7240).
 */
export function prefersIfAvailable(header: string | undefined): boolean {
  if (header === undefined) return false;
  return header.split(',').some((item) => item.split(';', 1)[0]?.trim().toLowerCase() === 'if-available');
}

/** A plugin has looked at the wish of a `Prefer: if-available`, so that nobody else refuses it. */
export const GATED = new RequestNote<true>('conditional-decode:gated');

export const NOT_CACHED = 'no decode worker has the requested KV cache';
export const NO_GATE = 'conditional-decode request received but no gate plugin is configured';
