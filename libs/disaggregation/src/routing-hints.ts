import { valuesOf } from '#protocol';

/** Where the endpoint picker wants the stages of a request to run, as it came: nothing is checked. */
export interface RoutingHints {
  /** Candidates for prefill, of which one is used; `''` where a candidate is empty. */
  readonly prefill: readonly string[];
  /** Encode workers; the empty ones are left out. */
  readonly encode: readonly string[];
  /** The pod whose cached prefix may be pulled. */
  readonly kvCacheSource: string | undefined;
  /** The rank that is to decode. */
  readonly dataParallel: string | undefined;
}

/** @param raw flat, as Node's `rawHeaders` */
export function routingHints(raw: readonly string[]): RoutingHints {
  return {
    prefill: listOf(raw, 'x-prefiller-host-port'),
    encode: listOf(raw, 'x-encoder-hosts-ports').filter((encoder) => encoder !== ''),
    kvCacheSource: firstOf(raw, 'x-kv-cache-source-host-port'),
    dataParallel: firstOf(raw, 'x-data-parallel-host-port'),
  };
}

/** Several lines are one candidate each; one line is a comma list (`sidecar.md` 3.1). */
function listOf(raw: readonly string[], name: string): string[] {
  const lines = valuesOf(raw, name);
  const [only] = lines;
  const candidates = lines.length === 1 && only !== undefined ? only.split(',') : lines;
  return candidates.map((candidate) => candidate.trim());
}

function firstOf(raw: readonly string[], name: string): string | undefined {
  const value = valuesOf(raw, name)[0]?.trim();
  return value === '' ? undefined : value;
}
