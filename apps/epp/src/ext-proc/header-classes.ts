import { HEADER, HOP_BY_HOP, connectionNames } from '#protocol';

export const DESTINATION = 'x-gateway-destination-endpoint';
export const SUBSET = 'x-gateway-destination-endpoint-subset';
export const SERVED = 'x-gateway-destination-endpoint-served';
/** Its value is the request's, so that it is set anew and never written twice. */
export const CONTENT_LENGTH = 'content-length';

/** What a client or a gateway tells the picker, and no worker (`epp.md` 1.5). */
export const CONTROL: ReadonlySet<string> = new Set([
  'x-llm-d-inference-fairness-id',
  'x-gateway-inference-fairness-id',
  'x-llm-d-inference-objective',
  'x-gateway-inference-objective',
  'x-llm-d-model-name-rewrite',
  'x-gateway-model-name-rewrite',
  SUBSET,
  HEADER.pin,
  'x-llm-d-slo-ttft-ms',
  'x-slo-ttft-ms',
  'x-llm-d-slo-tpot-ms',
  'x-slo-tpot-ms',
  'x-llm-d-video-fps',
  'x-llm-d-video-duration-seconds',
  'x-llm-d-video-resolution',
]);

/** What plugins tell the worker's sidecar. From a client it would send the sidecar to an address of the client's choice. */
export const ROUTING: ReadonlySet<string> = new Set([
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  'x-data-parallel-host-port',
  'x-kv-cache-source-host-port',
]);

/** What the picker alone says. */
const OUTPUT: ReadonlySet<string> = new Set([DESTINATION, SERVED, HEADER.droppedReason]);

/** What a client's copy of never reaches a worker; the destination is overwritten. */
export const REMOVED: ReadonlySet<string> = new Set([...CONTROL, ...ROUTING, SERVED, HEADER.droppedReason]);

/**
 * Whether a header may be written back as it was read: it is not the picker's own, and not for one connection only.
 * @param nominated names that `Connection` lists
 */
export function isEchoed(name: string, nominated: ReadonlySet<string>): boolean {
  const isOwned = CONTROL.has(name) || OUTPUT.has(name) || name === CONTENT_LENGTH;
  return !isOwned && !HOP_BY_HOP.has(name) && !nominated.has(name);
}

/** The names that `Connection` lists, of headers by lower-case name. */
export function nominatedBy(headers: ReadonlyMap<string, string>): ReadonlySet<string> {
  return connectionNames(headers.get('connection'));
}
