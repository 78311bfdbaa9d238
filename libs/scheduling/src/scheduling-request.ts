/** A multimodal item as it stands among the tokens of its prompt. */
export interface TokenFeature {
  readonly modality: string;
  readonly hash: string;
  /** First token of the item, 0-based. */
  readonly offset: number;
  readonly length: number;
}

/** One prompt as token ids, estimated ones where no tokenizer was asked. */
export interface TokenizedPrompt {
  readonly ids: Uint32Array;
  readonly features: readonly TokenFeature[];
}

/** What a parser made of a request's body. */
export interface ParsedRequest {
  /** Undefined where the body has none, or is not read. */
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** Whether there is media in it. */
  readonly hasMedia: boolean;
  /** `cache_salt` of the body; empty for none. */
  readonly cacheSalt: string;
  /** Most tokens that the client wants; undefined where it does not say. */
  readonly maxTokens: number | undefined;
  /** The prompts as tokens; empty where there is nothing to count. Costly, so made when first asked for. */
  readonly prompts: () => readonly TokenizedPrompt[];
  /** The body with another model in it, everything else byte for byte. Undefined where models are not rewritten. */
  readonly withModel?: (model: string) => Buffer;
}

/** Headers by lower-case name. Plugins add to them what goes to the worker. */
export type RequestHeaders = Map<string, string>;

/** One request that wants an endpoint. */
export interface SchedulingRequest {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly parsed: ParsedRequest;
  /** The model that is asked for, behind every rewrite; empty where there is none. */
  readonly targetModel: string;
  readonly fairnessId: string;
  readonly priority: number;
  /** Bytes of the body. */
  readonly size: number;
  /** What plugins note for themselves about the request, by plugin name. */
  readonly notes: Map<string, unknown>;
}

/** Tokens of all prompts. */
export function tokenCount({ parsed }: SchedulingRequest): number {
  return parsed.prompts().reduce((sum, { ids }) => sum + ids.length, 0);
}
