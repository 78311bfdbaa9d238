export { FakeUpstream, json } from './fake-upstream.ts';
export type { Handler, RecordedRequest } from './fake-upstream.ts';
export { aRequest } from './request.builder.ts';
export type { RequestOptions } from './request.builder.ts';
