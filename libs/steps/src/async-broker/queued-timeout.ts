import { timeoutLimits } from '#broker';
import type { BrokerConfig } from '#broker';
import type { PipelineRequest } from '#pipeline';
import { valuesOf } from '#protocol';

/** Seconds from a request to its deadline: what the client asks for, or the default, within the limit. */
export function queuedTimeout(request: PipelineRequest, mode: 'enqueue' | 'wait', config: BrokerConfig): number {
  const { fallback, most } = timeoutLimits(config.timeouts, mode);
  const asked = valuesOf(request.scope.headers, config.timeout_header)[0] ?? '';
  // what is no positive integer is as good as not there
  const seconds = /^0*[1-9]\d*$/.test(asked) ? Number(asked) : fallback;
  return Math.min(seconds, most);
}
