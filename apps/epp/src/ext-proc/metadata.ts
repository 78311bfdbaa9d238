import { decodeStruct, encodeStruct, isList } from '#ext-proc';
import type { JsonData, Metadata, Struct } from '#ext-proc';
import { hostPort } from '#scheduling';
import type { Decision } from '#scheduling';
import { DESTINATION, SERVED, SUBSET } from './header-classes.ts';

const LOAD_BALANCER = 'envoy.lb';
const SUBSET_NAMESPACE = 'envoy.lb.subset_hint';

/**
 * The endpoints that a request may go to, as `ip:port`: all of them where the hint or its list is not there (`epp.md` 1.10).
 * Items of the list that are no strings do not count.
 */
export function subsetHint(metadata: Metadata | undefined): readonly string[] | undefined {
  const list = fieldOf(metadata, SUBSET_NAMESPACE, SUBSET);
  return isList(list) ? list.filter((item) => typeof item === 'string') : undefined;
}

/** The endpoint that really answered, as Envoy tells with the response. */
export function servedEndpoint(metadata: Metadata | undefined): string | undefined {
  const served = fieldOf(metadata, LOAD_BALANCER, SERVED);
  return typeof served === 'string' ? served : undefined;
}

/**
 * Where the request goes, for load balancers that read metadata; the value is that of the header.
 * @param decision given where the scores of the endpoints are to be told, too
 */
export function destinationMetadata(destination: string, decision?: Decision): Struct {
  return encodeStruct({ [LOAD_BALANCER]: { [DESTINATION]: destination, ...scoresOf(decision) } });
}

function scoresOf(decision: Decision | undefined): Readonly<Record<string, JsonData>> {
  const scored = decision?.result.profiles.get(decision.result.primary)?.scored ?? [];
  if (scored.length === 0) return {};
  const byEndpoint = scored.map(({ candidate, total }) => [hostPort(candidate.endpoint), total] as const);
  return { [`${DESTINATION}-scores`]: Object.fromEntries(byEndpoint) };
}

function fieldOf(metadata: Metadata | undefined, namespace: string, key: string): JsonData | undefined {
  const struct = metadata?.filter_metadata?.[namespace];
  return struct === undefined ? undefined : decodeStruct(struct)[key];
}
