import type { Rope } from '#json';
import type { HostPort } from '#protocol';

/**
 * How KV cache moves between two workers that run at the same time, as far as their requests show it: nothing of prefill's answer is
 * needed, for both are told beforehand where they meet.
 * @see coordinator.md C.8, D.1
 */
export abstract class ConcurrentKvConnector {
  /** The client's headers that would lead one of the two elsewhere, lower-case. */
  abstract readonly conflictingHeaders: ReadonlySet<string>;

  /**
   * Outermost members of both bodies, the same bytes in each; `undefined` removes one of the client's. Called once a request: what
   * identifies a transfer is made anew each time.
   * @param prefill where the prefill call goes
   */
  abstract members(prefill: HostPort): Readonly<Record<string, Rope | undefined>>;
}
