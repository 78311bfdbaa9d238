import type { UpstreamClient, UpstreamReply } from '#gateway';
import type { OutboundBody } from '#disaggregation';
import { HEADER } from '#protocol';
import type { RequestScope } from '#protocol';

/** A request that the engine gets as the client sent it. */
export interface EngineCall {
  readonly scope: RequestScope;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly sent: OutboundBody;
}

const NO_LIMIT = { ms: 0, setting: 'none' } as const;

/** Calls the engine beside us for what is passed through. */
export class EngineClient {
  /** @param client that of decode: the same engine, the same connections */
  constructor(private readonly client: UpstreamClient) {}

  /** @param base of the engine; @throws as `UpstreamClient.send` */
  forward(base: string, { scope, method, path, sent }: EngineCall): Promise<UpstreamReply> {
    return this.client.send({
      scope,
      upstream: 'passthrough',
      // an engine that is not there is told as one that cannot decode
      step: 'decode',
      method,
      base,
      path,
      headers: [...scope.headers, ...sent.headers, HEADER.requestId, scope.id],
      body: sent.body,
      headLimit: NO_LIMIT,
      idleLimit: NO_LIMIT,
      signal: scope.signal,
    });
  }
}
