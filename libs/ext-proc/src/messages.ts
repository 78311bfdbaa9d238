import type { Struct } from './struct.ts';

/*
 * The messages of `envoy.service.ext_proc.v3` as far as they are used, in the shapes that `protos.ts` loads them to: names as in the
 * definitions, fields that are not set left out.
 */

export interface HeaderValue {
  readonly key?: string;
  readonly value?: string;
  readonly raw_value?: Buffer;
}

export interface HeaderMap {
  readonly headers?: readonly HeaderValue[];
}

export interface HttpHeaders {
  readonly headers?: HeaderMap;
  readonly end_of_stream?: boolean;
}

export interface HttpBody {
  readonly body?: Buffer;
  readonly end_of_stream?: boolean;
}

export interface HttpTrailers {
  readonly trailers?: HeaderMap;
}

/** What Envoy knows of a request or response beside itself. */
export interface Metadata {
  readonly filter_metadata?: Readonly<Record<string, Struct>>;
}

/** One of the six parts is set. */
export interface ProcessingRequest {
  readonly request_headers?: HttpHeaders;
  readonly request_body?: HttpBody;
  readonly request_trailers?: HttpTrailers;
  readonly response_headers?: HttpHeaders;
  readonly response_body?: HttpBody;
  readonly response_trailers?: HttpTrailers;
  readonly metadata_context?: Metadata;
}

export interface HeaderValueOption {
  readonly header: { readonly key: string; readonly raw_value: Buffer };
  readonly append_action: 'OVERWRITE_IF_EXISTS_OR_ADD';
}

export interface HeaderMutation {
  readonly set_headers: readonly HeaderValueOption[];
  readonly remove_headers?: readonly string[];
}

/** A piece of a body in full-duplex mode. */
export interface StreamedBody {
  readonly body: Buffer;
  readonly end_of_stream: boolean;
}

export interface HeadersReply {
  readonly response: { readonly header_mutation: HeaderMutation; readonly clear_route_cache?: boolean };
}

export interface BodyReply {
  readonly response: { readonly body_mutation: { readonly streamed_response: StreamedBody } };
}

/** An answer to the client in place of the worker's. */
export interface ImmediateReply {
  readonly status: { readonly code: number };
  readonly headers?: HeaderMutation;
  readonly body: Buffer;
}

/** One of the seven parts is set. */
export interface ProcessingResponse {
  readonly request_headers?: HeadersReply;
  readonly request_body?: BodyReply;
  readonly request_trailers?: Readonly<Record<string, never>>;
  readonly response_headers?: HeadersReply;
  readonly response_body?: BodyReply;
  readonly response_trailers?: Readonly<Record<string, never>>;
  readonly immediate_response?: ImmediateReply;
  readonly dynamic_metadata?: Struct;
}
