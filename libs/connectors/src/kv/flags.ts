import { JsonObject, joinRope, rawJson } from '#json';
import type { Rope } from '#json';

/** The two flags that every connector sends, in wire order. */
export const PREFILL_FLAGS = '"do_remote_decode":true,"do_remote_prefill":false';
export const DECODE_FLAGS = rawJson('{"do_remote_decode":false,"do_remote_prefill":true}');

const TRUE = rawJson('true');
const FALSE = rawJson('false');

/** Prefill's object with every key and digit as it came, and the flags of the decode side; the flags alone when there is none. */
export function withDecodeFlags(fromPrefill: Rope | undefined): Rope {
  if (fromPrefill === undefined) return DECODE_FLAGS;
  return JsonObject.of(joinRope(fromPrefill)).setAll({ do_remote_decode: FALSE, do_remote_prefill: TRUE }).toRope();
}
