import { Candidate } from './candidate.ts';
import type { InFlight, PrefixMatch } from './candidate.ts';
import { IN_FLIGHT_PRODUCER, PREFIX_PRODUCER } from './default-producers.ts';
import { NO_LOAD } from './endpoint.ts';
import type { Endpoint, EndpointLoad } from './endpoint.ts';
import { EndpointStore } from './endpoint.store.ts';
import type { Plugin, PluginContext, ProfileResult, SchedulingResult } from './plugin.ts';
import type { ParsedRequest, SchedulingRequest } from './scheduling-request.ts';

/** An endpoint called `default/<name>` at `10.0.0.1:8000`. */
export function anEndpoint({ name = 'pod-a', ...given }: Partial<Endpoint> = {}): Endpoint {
  const namespace = given.namespace ?? 'default';
  return { id: `${namespace}/${name}`, namespace, name, address: '10.0.0.1', port: 8000, labels: {}, ...given };
}

/** What differs of a candidate from an endpoint of which nothing is known. Its match and its load are of the default producers. */
export interface CandidateTraits extends Partial<Endpoint> {
  readonly load?: Partial<EndpointLoad>;
  readonly match?: PrefixMatch;
  readonly inFlight?: InFlight;
}

export function aCandidate({ load, match, inFlight, ...endpoint }: CandidateTraits = {}): Candidate {
  const candidate = new Candidate({ endpoint: anEndpoint(endpoint), load: { ...NO_LOAD, ...load } });
  if (match !== undefined) candidate.setPrefixMatch(PREFIX_PRODUCER, match);
  if (inFlight !== undefined) candidate.setInFlight(IN_FLIGHT_PRODUCER, inFlight);
  return candidate;
}

/** As many blocks of a prompt as an endpoint has, of one token each unless it is said otherwise. */
export function aMatch(matchedBlocks: number, { totalBlocks = 10, blockSize = 1 } = {}): PrefixMatch {
  return { matchedBlocks, totalBlocks, blockSize };
}

export function aParsedRequest(given: Partial<ParsedRequest> = {}): ParsedRequest {
  return {
    model: 'm',
    isStream: false,
    hasMedia: false,
    cacheSalt: '',
    maxTokens: undefined,
    prompts: () => [],
    ...given,
  };
}

/** What differs of a request from one for model `m`, without a prompt. */
export interface RequestTraits extends Partial<Omit<SchedulingRequest, 'headers' | 'parsed'>> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly parsed?: Partial<ParsedRequest>;
  /** Tokens of its prompt. */
  readonly tokens?: number;
}

export function aRequest({ headers = {}, parsed, tokens = 0, ...given }: RequestTraits = {}): SchedulingRequest {
  const prompts = tokens === 0 ? [] : [{ ids: new Uint32Array(tokens), features: [] }];
  return {
    id: 'request-1',
    headers: new Map(Object.entries(headers)),
    parsed: aParsedRequest({ prompts: () => prompts, ...parsed }),
    targetModel: 'm',
    fairnessId: 'default-flow',
    priority: 0,
    size: 0,
    notes: new Map(),
    metadata: new Map(),
    ...given,
  };
}

/** A result whose primary profile is the first one. */
export function aResult(targets: Readonly<Record<string, readonly Candidate[]>>): SchedulingResult {
  const [primary = ''] = Object.keys(targets);
  const profiles = Object.entries(targets).map(([name, found]) => [name, aProfileResult(found)] as const);
  return { primary, profiles: new Map(profiles) };
}

export function aProfileResult(targets: readonly Candidate[]): ProfileResult {
  return { targets, scored: targets.map((candidate) => ({ candidate, total: 0 })) };
}

/** A context with those other plugins in it; what plugins warn of goes to `warnings`. */
export function aContext(
  given: {
    readonly name?: string;
    readonly plugins?: Readonly<Record<string, Plugin>>;
    readonly warnings?: string[];
  } = {},
): PluginContext {
  const { name = 'under-test', plugins = {}, warnings = [] } = given;
  return {
    name,
    endpoints: new EndpointStore(),
    plugin: (wanted) => {
      const found = plugins[wanted];
      if (found === undefined) throw new Error(`plugin not found: ${wanted}`);
      return found;
    },
    warn: (message) => void warnings.push(message),
  };
}

/** Chance that is the same each time (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const a = Math.imul(state ^ (state >>> 15), state | 1);
    const b = a ^ (a + Math.imul(a ^ (a >>> 7), a | 61));
    return ((b ^ (b >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names of candidates, in their order. */
export function namesOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ endpoint }) => endpoint.name);
}
