import { invalidRequest, namedTenant } from '#broker';
import type { BrokerConfig, BrokerMode, BrokerRefusal } from '#broker';
import type { PipelineRequest } from '#pipeline';
import { valuesOf } from '#protocol';

/** What the client asks for by its headers, or why it cannot have it. */
export type AskedMode =
  | { readonly mode: BrokerMode; readonly tenant: string }
  | { readonly refusal: BrokerRefusal; readonly mode: BrokerMode | 'unknown' };

const MODES: readonly BrokerMode[] = ['passthrough', 'enqueue', 'wait'];

/** Undefined for a request that does not name a mode: it is none of the broker's business (`coordinator.md` C.9). */
export function askedMode(request: PipelineRequest, config: BrokerConfig): AskedMode | undefined {
  const asked = (valuesOf(request.scope.headers, config.mode_header)[0] ?? '').toLowerCase();
  if (asked === '') return undefined;
  const mode = MODES.find((known) => known === asked);
  if (mode === undefined) return { refusal: invalidRequest(`${config.mode_header}: no such mode`), mode: 'unknown' };
  const { tenant, problem } = namedTenant(request.scope.headers, config.tenant_header);
  const message = problemOf(request, mode) ?? problem;
  return message === undefined ? { mode, tenant } : { refusal: invalidRequest(message), mode };
}

function problemOf({ stream, model }: PipelineRequest, mode: BrokerMode): string | undefined {
  if (stream && mode !== 'passthrough') return 'stream is only supported in passthrough mode';
  return model === undefined || model === '' ? 'model is required' : undefined;
}
