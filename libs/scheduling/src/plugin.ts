import type { Candidate } from './candidate.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointStore } from './endpoint.store.ts';
import type { ParsedRequest, RequestHeaders, SchedulingRequest } from './scheduling-request.ts';

/** Narrows the candidates of a profile. */
export interface Filter {
  filter(request: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[];
}

/** Says how well each candidate fits: a number from 0 to 1 for each, in their order. */
export interface Scorer {
  score(request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[];
}

/** A candidate with the sum of its weighted scores. */
export interface Scored {
  readonly candidate: Candidate;
  readonly total: number;
}

/** Chooses among the candidates, the best one first. */
export interface Picker {
  pick(scored: readonly Scored[]): readonly Candidate[];
}

/** What one profile came to. */
export interface ProfileResult {
  /** At least one, the best one first. */
  readonly targets: readonly Candidate[];
  readonly scored: readonly Scored[];
}

/** Results by profile; undefined for one that was run and found nothing. */
export type ProfileResults = ReadonlyMap<string, ProfileResult | undefined>;

/** What a scheduling cycle came to. */
export interface SchedulingResult {
  readonly primary: string;
  readonly profiles: ReadonlyMap<string, ProfileResult>;
}

/** Says which profiles run for a request, and which of their results counts. */
export interface ProfileHandler {
  /** Profiles to run now, of those there are; none when it has all it wants. @throws SchedulingError */
  next(request: SchedulingRequest, profiles: readonly string[], results: ProfileResults): readonly string[];
  /** @throws SchedulingError */
  conclude(request: SchedulingRequest, results: ProfileResults, errors: readonly Error[]): SchedulingResult;
}

/** Says whether a stage is worth a worker of its own. */
export interface Decider {
  disaggregate(request: SchedulingRequest, chosen: Candidate | undefined): boolean;
}

/** Finds something out about candidates before they are filtered and scored. What it throws is logged, and the request goes on. */
export interface Producer {
  /** Milliseconds that it may take; 400 where it does not say. */
  readonly timeout?: number;
  /** @param signal aborted when nobody waits for it any more: its time is over, or the client has gone */
  produce(request: SchedulingRequest, candidates: readonly Candidate[], signal?: AbortSignal): Promise<void> | void;
}

/** Narrows the candidates of a request before anything is found out about them; each is given what the one before it left. */
export interface Screener {
  /** @throws SchedulingError to turn the request away */
  screen(request: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[];
}

/**
 * Acts on the result before the request goes out: gates first, then whoever writes headers, then whoever records. A gate that throws is the
 * last to be run; of the others all are, and one that throws fails the request.
 */
export interface PreRequest {
  readonly stage: 'gate' | 'headers' | 'record';
  /** @throws SchedulingError to turn the request away */
  before(request: SchedulingRequest, result: SchedulingResult): void;
}

/** Why a request is over. */
export type Termination = 'natural' | 'client_disconnect' | 'error' | 'evicted';

/** Follows a request that was given an endpoint. */
export interface ResponseObserver {
  /** The first bytes of the answer's body are there. */
  firstChunk?(request: SchedulingRequest): void;
  /** Called exactly once, also of a request that could not be sent out after all. */
  ended?(request: SchedulingRequest, how: Termination): void;
}

/** Reads the bodies of some paths. */
export interface Parser {
  /** Ends of the paths whose bodies it reads; none for the one that takes what nobody else does. */
  readonly suffixes: readonly string[];
  /** `appProtocol`s of pools whose requests it can read; undefined for any. */
  readonly appProtocols?: readonly string[];
  /** @param path of the request, without its query; @throws SchedulingError with BadRequest */
  parse(body: Buffer, headers: RequestHeaders, path?: string): ParsedRequest | Promise<ParsedRequest>;
}

/** Says how full the endpoints are together: 1 and more is full. */
export interface SaturationDetector {
  saturation(candidates: readonly Candidate[]): number;
}

/** Finds endpoints and says so to the store, until it is closed. */
export interface Discovery {
  /** `appProtocol` of the pool; undefined where it does not say, or there is none. */
  readonly appProtocol?: string | undefined;
  /** Done when endpoints were said for the first time. @throws Error when they cannot be found at all */
  start(endpoints: EndpointStore): Promise<void>;
  close(): Promise<void> | void;
}

/** Knows where endpoints say how they are. */
export interface MetricsSource {
  /** @returns such as `http://10.0.0.1:8000` */
  origin(endpoint: Pick<Endpoint, 'address' | 'port'>): string;
}

/** Makes figures of what an endpoint says of itself. */
export interface MetricsExtractor {
  extract(exposition: Buffer, endpoint: Pick<Endpoint, 'labels'>): object;
}

/** Anything that a plugin entry can stand for; a plugin may be several of them, and is told by what it has (`plugin-kinds.ts`). */
export type Plugin =
  | Filter
  | Scorer
  | Picker
  | ProfileHandler
  | Decider
  | Screener
  | Producer
  | PreRequest
  | ResponseObserver
  | Parser
  | SaturationDetector
  | Discovery
  | MetricsSource
  | MetricsExtractor;

/** What a plugin is given beside its parameters. */
export interface PluginContext {
  /** Its own name in the configuration. */
  readonly name: string;
  readonly endpoints: EndpointStore;
  /** Another plugin, which was made before. @throws Error when there is none of that name */
  plugin(name: string): Plugin;
  /** Says something about the configuration that is not an error. */
  warn(message: string): void;
}
