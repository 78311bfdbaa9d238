export { Child } from './child.ts';
export { cleanup } from './cleanup.ts';
export { FakeUpstream, json } from './fake-upstream.ts';
export type { Handler, RecordedRequest } from './fake-upstream.ts';
export { RawUpstream } from './raw-upstream.ts';
export type { ConnectionScript } from './raw-upstream.ts';
export { aRequest } from './request.builder.ts';
export type { RequestOptions } from './request.builder.ts';
export { TcpPeer } from './tcp-peer.ts';
