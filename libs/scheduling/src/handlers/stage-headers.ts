import { hostPort } from '../endpoint.ts';
import type { SchedulingResult } from '../plugin.ts';
import type { RequestHeaders } from '../scheduling-request.ts';

export const PREFILLER = 'x-prefiller-host-port';
export const ENCODERS = 'x-encoder-hosts-ports';

/** Names of the profiles whose endpoints a decode sidecar is told. */
export interface StageProfiles {
  readonly prefill: string;
  readonly encode: string;
}

/** Says to the sidecar who prefills and who encodes. What a client sent under these names never stays. */
export function writeStageHeaders(
  headers: RequestHeaders,
  { profiles }: SchedulingResult,
  stages: StageProfiles,
): void {
  headers.delete(PREFILLER);
  headers.delete(ENCODERS);
  const [prefiller] = profiles.get(stages.prefill)?.targets ?? [];
  const encoders = profiles.get(stages.encode)?.targets ?? [];
  if (prefiller !== undefined) headers.set(PREFILLER, hostPort(prefiller.endpoint));
  if (encoders.length > 0) headers.set(ENCODERS, encoders.map(({ endpoint }) => hostPort(endpoint)).join(','));
}
