import type { Rope } from '#json';

/** What prefill gave for decode to fetch the KV cache by. */
export interface KvHandoff {
  /** `kv_transfer_params` of prefill's answer, an object as it came; undefined when there was none to use. */
  readonly params: Rope | undefined;
  /** Name of the KV connector that made the prefill call. */
  readonly connector: string;
  /** How usable the answer's `kv_transfer_params` was (`decisions.md` P8). */
  readonly result: 'complete' | 'missing' | 'not_object';
  /** When prefill's answer was whole, on the clock of `performance.now()`. */
  readonly receivedAt: number;
}
