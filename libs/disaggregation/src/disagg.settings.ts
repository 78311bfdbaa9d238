/** What the stages are told by the command line. */
export interface DisaggSettings {
  /** Whether any of the prefill candidates is taken, rather than the first. */
  readonly samplesPrefillers: boolean;
  /** Own address and base port, for telling whether a cached prefix is our own; undefined where the pod does not say. */
  readonly podIp: string | undefined;
}
