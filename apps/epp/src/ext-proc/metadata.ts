import { decodeStruct, encodeStruct, isList } from '#ext-proc';
import type { JsonData, JsonFields, Metadata, Struct } from '#ext-proc';
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

/** Where a request goes of which nothing is known, for load balancers that read metadata; the value is that of the header. */
export function destinationMetadata(destination: string): Struct {
  return encodeStruct({ [LOAD_BALANCER]: { [DESTINATION]: destination } });
}

/**
 * Where a request goes, with what plugins have to say to Envoy. What they say under the load balancer's name stands beside the
 * destination and not in its place: header and metadata never differ (`epp.md` 1.3).
 */
export function requestMetadata(decision: Decision, withScores: boolean): Struct {
  const { [LOAD_BALANCER]: beside, ...said } = pluginFields(decision);
  const scores = withScores ? scoresOf(decision) : {};
  const own = { [DESTINATION]: decision.destination, ...scores };
  return encodeStruct({ [LOAD_BALANCER]: isFields(beside) ? { ...beside, ...own } : own, ...said });
}

/** What plugins have said to Envoy since the last message that could carry it; undefined for nothing. */
export function pluginMetadata(decision: Decision | undefined): Struct | undefined {
  const said = decision === undefined ? {} : pluginFields(decision);
  return Object.keys(said).length === 0 ? undefined : encodeStruct(said);
}

/** Told once. */
function pluginFields({ request: { metadata } }: Decision): Readonly<Record<string, JsonData>> {
  const said = Object.fromEntries(metadata);
  metadata.clear();
  return said;
}

function isFields(data: JsonData | undefined): data is JsonFields {
  return typeof data === 'object' && data !== null && !isList(data);
}

function scoresOf(decision: Decision): Readonly<Record<string, JsonData>> {
  const scored = decision.result.profiles.get(decision.result.primary)?.scored ?? [];
  if (scored.length === 0) return {};
  const byEndpoint = scored.map(({ candidate, total }) => [hostPort(candidate.endpoint), total] as const);
  return { [`${DESTINATION}-scores`]: Object.fromEntries(byEndpoint) };
}

function fieldOf(metadata: Metadata | undefined, namespace: string, key: string): JsonData | undefined {
  const struct = metadata?.filter_metadata?.[namespace];
  return struct === undefined ? undefined : decodeStruct(struct)[key];
}
