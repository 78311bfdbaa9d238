import type { SimulatorConfig } from '../simulator.config.ts';

/** Milliseconds that computing so many prompt tokens takes; none for a prompt that is all cached. */
export function prefillMs(timing: SimulatorConfig['timing'], uncachedTokens: number): number {
  return uncachedTokens === 0 ? 0 : timing.prefill_ms + (uncachedTokens * timing.prefill_token_us) / 1000;
}
