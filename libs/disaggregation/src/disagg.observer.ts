import type { CoordinatorError } from '#foundation';
import type { ClientResponse, ReplyFacts } from '#pipeline';
import type { RequestScope } from '#protocol';
import type { ApiType } from './api-type.ts';

/** A stage of a request, as metrics and spans name it. */
export type Stage = 'encode' | 'prefill' | 'decode';

/** The stages that ran apart from the local engine. */
export type DisaggType = 'decode-only' | 'prefill-decode' | 'encode-decode' | 'encode-prefill-decode';

/** What is known of a request beside its stages; names of spans' attributes are made of these. Never content. */
export interface DisaggFacts {
  readonly disaggType?: DisaggType;
  /** Why a request runs on fewer stages than it could: `no_prefill_header`, `prompt_logprobs`, … */
  readonly reason?: string;
  readonly prefillTarget?: string;
  readonly prefillCandidates?: number;
  readonly deniedTarget?: string;
  readonly kvCacheSource?: string;
  /** Whether a source was named that is not in the pool, or is none. */
  readonly isSourceDenied?: boolean;
  readonly encoderCandidates?: number;
  readonly encoderAllowed?: number;
  /** Items that went to encode workers. */
  readonly encodeItems?: number;
  /** Whether prefill and decode run at the same time. */
  readonly isConcurrent?: boolean;
  readonly decodeTarget?: string;
  readonly isDataParallel?: boolean;
  readonly prefillRetries?: number;
  readonly cachedTokens?: number;
  readonly chunkSize?: number;
  readonly chunks?: number;
  readonly totalTokens?: number;
}

/** How a stage ended. */
export interface StageEnd {
  readonly status: number | undefined;
  /** Undefined for a stage that did what it should: a short word such as `status_5xx`, `refused`, `reset`, `invalid_answer`. */
  readonly failure: string | undefined;
}

/** Follows one stage from its first call on. */
export interface StageWatch {
  /** The last call; further ones do nothing. */
  ended(end: StageEnd): void;
}

/** Follows one request. */
export interface DisaggWatch {
  /** A later fact takes the place of an earlier one of its name. */
  note(facts: DisaggFacts): void;
  stage(stage: Stage): StageWatch;
  /** What the client is about to get, its body not yet read; at most once, and not for an error of ours. */
  answered(answer: ClientResponse): void;
  /** The request failed with an answer of ours; at most once, before `ended`. */
  failed(error: CoordinatorError): void;
  /** The last call. */
  ended(facts: ReplyFacts): void;
}

/** A request that has just come in. */
export interface DisaggArrival {
  readonly scope: RequestScope;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  /** Undefined for what is passed through. */
  readonly apiType: ApiType | undefined;
  readonly rank: number;
}

/** Port: told of every request. Telemetry comes in here. */
export abstract class DisaggObserver {
  abstract begin(arrival: DisaggArrival): DisaggWatch;
}

const NOTHING: DisaggWatch = {
  note: () => undefined,
  stage: () => ({ ended: () => undefined }),
  answered: () => undefined,
  failed: () => undefined,
  ended: () => undefined,
};

/** Watches nothing. */
export class NoDisaggObserver extends DisaggObserver {
  begin(): DisaggWatch {
    return NOTHING;
  }
}
