import type { RequestScope } from '#protocol';
import { gatewayConfig } from './gateway.config.ts';
import type { GatewayConfig } from './gateway.config.ts';
import type { UpstreamCall, UpstreamReply } from './upstream-call.ts';
import type { UpstreamCallInterceptor } from './upstream-call.interceptor.ts';
import { UpstreamClient } from './upstream.client.ts';

/** The `gateway` section with what a test wants to be different. */
export function aConfig(address: string, changes: Partial<GatewayConfig> = {}): GatewayConfig {
  return { ...gatewayConfig.parse({ address }), ...changes };
}

/** A client with connections of its own; close it with `onApplicationShutdown`. */
export function aClient(
  changes: Partial<GatewayConfig> = {},
  interceptors: readonly UpstreamCallInterceptor[] = [],
): UpstreamClient {
  return new UpstreamClient(aConfig('http://gateway.invalid', changes), interceptors);
}

export function aScope(changes: Partial<RequestScope> = {}): RequestScope {
  return { id: 'req-1', signal: new AbortController().signal, headers: [], trace: {}, ...changes };
}

/** A call as a prefill makes it, without limits of time. */
export function aCall(base: string, changes: Partial<UpstreamCall> = {}): UpstreamCall {
  const scope = changes.scope ?? aScope();
  return {
    scope,
    upstream: 'prefill',
    step: 'prefill',
    method: 'POST',
    base,
    path: '/v1/completions',
    headers: ['content-type', 'application/json'],
    body: [Buffer.from('{"a":1}')],
    headLimit: { ms: 0, setting: 'gateway.timeout' },
    idleLimit: { ms: 0, setting: 'gateway.stream_idle_timeout' },
    signal: scope.signal,
    ...changes,
  };
}

/** The whole body of an answer, one character for each byte. */
export async function textOf(reply: UpstreamReply): Promise<string> {
  return (await reply.body.readAll(64 * 1024 * 1024)).toString('latin1');
}

/** The complete bytes of a small answer. */
export function answer(body = 'ok', head = 'HTTP/1.1 200 OK'): string {
  return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** What a promise was rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('did not fail');
    },
    (error: unknown) => error,
  );
}
