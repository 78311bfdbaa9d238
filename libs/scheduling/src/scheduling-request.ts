import type { JsonValue } from '#json';

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

/** A stretch of a prompt in words, of which a tokenizer makes tokens. Its values stand in the request's body. */
export type PromptPiece =
  /** A JSON string, read without its escapes. */
  | { readonly kind: 'text'; readonly value: JsonValue }
  /** A value that counts as JSON text with its keys sorted. */
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** Bytes that count as they are. */
  | { readonly kind: 'literal'; readonly bytes: Buffer }
  /** JSON strings that identify an item together: its URL, or its data and their format. */
  | { readonly kind: 'media'; readonly modality: MediaModality; readonly content: readonly JsonValue[] };

export type MediaModality = 'image' | 'audio' | 'video';

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
  /** The prompts that the body has as token ids; empty where it has words, or nothing to count. Made once. */
  readonly prompts: () => readonly TokenizedPrompt[];
  /** The prompts that it has in words, each as its pieces in order. */
  readonly words?: readonly (readonly PromptPiece[])[];
  /** The API whose render endpoint makes tokens of the body; undefined where none does. */
  readonly rendering?: 'chat' | 'completions';
  /** The body with another model in it, everything else byte for byte. Undefined where models are not rewritten. */
  readonly withModel?: (model: string) => Buffer;
  /** Whether the body goes on changed even where its model stays: `withModel` makes it. */
  readonly isChanged?: boolean;
}

/** Headers by lower-case name. Plugins add to them what goes to the worker. */
export type RequestHeaders = Map<string, string>;

/** Plain JSON, as Envoy's metadata can hold it. */
export type MetadataValue =
  null | boolean | number | string | readonly MetadataValue[] | { readonly [key: string]: MetadataValue };

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
  /** What plugins say to Envoy as dynamic metadata, by namespace; taken out when it is told (`epp.md` 1.3, 1.6). */
  readonly metadata: Map<string, MetadataValue>;
  /** What the token producer made of the prompts; undefined where none has. */
  tokenized?: readonly TokenizedPrompt[];
}

/** The prompts as tokens, be they the body's own or made of its words; empty where nobody made any. */
export function promptsOf({ tokenized, parsed }: SchedulingRequest): readonly TokenizedPrompt[] {
  return tokenized ?? parsed.prompts();
}

/** Tokens of all prompts. */
export function tokenCount(request: SchedulingRequest): number {
  return promptsOf(request).reduce((sum, { ids }) => sum + ids.length, 0);
}
