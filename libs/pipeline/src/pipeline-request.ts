import type { JsonObject, Rope, TokenArray } from '#json';
import type { Features, MediaPart, RequestFormat, RequestScope } from '#protocol';
import type { KvHandoff } from './handoff.ts';

/** What the server knows of a request before any step ran. */
export interface InboundRequest {
  readonly scope: RequestScope;
  readonly format: RequestFormat;
  /** The client's path, without query: where decode goes. */
  readonly path: string;
  /** The client's body, with what steps changed in it for good. */
  readonly body: JsonObject;
  /** `model` of the body when it is a string. */
  readonly model: string | undefined;
  /** Whether `stream` of the body is the literal `true`. */
  readonly stream: boolean;
}

/**
 * What steps add to a request. A step returns what it found out; nothing is edited in place.
 *
 * | Field | Set by | Read by |
 * | --- | --- | --- |
 * | `body` | replace-media-urls (URLs), render (`prompt`) | every step that calls the gateway |
 * | `mediaParts` | replace-media-urls, else render | encode, decode, prefill-decode |
 * | `tokens`, `features` | render | conditional-decode, encode, prefill, decode, prefill-decode |
 * | `ecParams` | encode | prefill, prefill-decode |
 * | `handoff`, `prefillFailed` | prefill | decode |
 * | `relayedHeaders` | render, encode, prefill | every later call |
 * | `clientHeaders` | async-broker | every later call |
 */
export interface StepFindings {
  readonly body?: JsonObject;
  /** Media parts in the body, in prompt order. */
  readonly mediaParts?: readonly MediaPart[];
  /** Token ids of the prompt. */
  readonly tokens?: TokenArray;
  /** The multimodal side of the prompt; absent when it is text alone. */
  readonly features?: Features;
  /** Merged `ec_transfer_params`, an object. */
  readonly ecParams?: Rope;
  /** Present once a prefill succeeded in this request. */
  readonly handoff?: KvHandoff;
  /** A prefill failed and decode computes the prompt itself (`on_failure: decode`). */
  readonly prefillFailed?: boolean;
  /** Upstream response headers that later calls carry, by lower-case name (`pipeline.forward_response_headers`). */
  readonly relayedHeaders?: Readonly<Record<string, string>>;
  /** What later calls carry of the client's headers, in place of `scope.headers` and in the same form (`docs/decisions/0011`). */
  readonly clientHeaders?: readonly string[];
}

/** One request on its way through the pipeline. Immutable. */
export type PipelineRequest = InboundRequest & StepFindings;

/** The request with a step's findings in it. */
export function withFindings(request: PipelineRequest, findings: StepFindings | undefined): PipelineRequest {
  return findings === undefined ? request : { ...request, ...findings };
}
