import { JsonObject } from '#json';
import type { InboundRequest, PipelineRequest, StepFindings } from '#pipeline';
import { pathOf } from '#protocol';
import type { RequestFormat, RequestScope } from '#protocol';

/** What a test wants to be different from an ordinary chat request. */
export interface RequestOptions {
  readonly format?: RequestFormat;
  /** JSON text. */
  readonly body?: string;
  readonly scope?: Partial<RequestScope>;
  readonly findings?: StepFindings;
}

const BODIES = {
  chat: '{"model":"m","messages":[{"role":"user","content":"hi"}]}',
  completions: '{"model":"m","prompt":"hi"}',
  responses: '{"model":"m","input":"hi"}',
  generate: '{"model":"m","token_ids":[1,2,3]}',
} as const satisfies Record<RequestFormat, string>;

/** A valid request as steps get it. */
export function aRequest({ format = 'chat', body, scope, findings }: RequestOptions = {}): PipelineRequest {
  const object = JsonObject.of(Buffer.from(body ?? BODIES[format]));
  const inbound: InboundRequest = {
    scope: { id: 'req-1', signal: new AbortController().signal, headers: [], trace: {}, ...scope },
    format,
    path: pathOf(format),
    body: object,
    model: object.get('model')?.string,
    stream: object.get('stream')?.isTrue ?? false,
  };
  return { ...inbound, ...findings };
}
