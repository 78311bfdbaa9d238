import type { Rope } from '#json';

/**
 * How KV cache moves from the prefill worker to the decode worker, as far as request bodies show it. A connector knows shapes,
 * not requests: what it is given and gives is `kv_transfer_params`, a JSON object as bytes.
 * @see wire.md, "Connectors"
 */
export abstract class KvConnector {
  /** Whether decode can fetch nothing without prefill's parameters, so that their absence is worth a warning. */
  abstract readonly needsHandoff: boolean;

  /** For the prefill call. Called once a request: what identifies a transfer is made anew each time. */
  abstract forPrefill(): Rope;

  /** @param fromPrefill prefill's own object as it came; undefined when it gave none */
  abstract forDecode(fromPrefill: Rope | undefined): Rope;
}
