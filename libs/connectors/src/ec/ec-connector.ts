import type { JsonValue, Rope } from '#json';

/**
 * How encoder output moves from the encode workers to the prefill worker, as far as request bodies show it.
 * @see wire.md, "Connectors"
 */
export abstract class EcConnector {
  /**
   * `ec_transfer_params` for prefill, from those of every encode answer in item order.
   * @param answers undefined where an answer had none
   * @returns undefined when nothing is to be sent
   * @throws UpstreamAnswerError when two answers contradict each other
   */
  abstract merge(answers: readonly (JsonValue | undefined)[]): Rope | undefined;
}
