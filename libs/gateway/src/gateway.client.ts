import { Inject, Injectable } from '@nestjs/common';
import type { Rope } from '#json';
import { HEADER } from '#protocol';
import type { RequestScope } from '#protocol';
import { GATEWAY_CONFIG } from './gateway.config.ts';
import type { GatewayConfig } from './gateway.config.ts';
import type { Profile, TimeLimit, UpstreamCall, UpstreamReply } from './upstream-call.ts';
import { UpstreamClient } from './upstream.client.ts';

/** One phase call to the Inference Gateway. */
export interface PhaseCall {
  readonly scope: RequestScope;
  readonly upstream: UpstreamCall['upstream'];
  readonly step: string;
  readonly profile: Profile;
  readonly path: string;
  readonly body: Rope;
  /** Goes out in place of `scope.id`, where workers and pickers have to tell calls of one request apart. */
  readonly requestId?: string;
  /** What goes out of the client's headers, in place of `scope.headers`. */
  readonly clientHeaders?: readonly string[] | undefined;
  /** Flat headers that go out beside the client's and win over them: relayed response headers, `prefer`. */
  readonly headers?: readonly string[];
  /** Whether the worker answers only when its last token is made, as a decode that does not stream does. */
  readonly isBuffered?: boolean;
  /** Follows `scope.signal` where given. */
  readonly signal?: AbortSignal;
  readonly item?: { readonly index: number; readonly width: number };
}

/** A request that goes to the gateway as the client sent it. */
export interface PassthroughCall {
  readonly scope: RequestScope;
  readonly method: string;
  readonly path: string;
  readonly body: UpstreamCall['body'];
  /** Flat; `content-length` of the client, where its body is sent as it comes. */
  readonly headers: readonly string[];
}

/** Calls the Inference Gateway: stamps the phase, the request id and the content type, and picks the time limit. */
@Injectable()
export class GatewayClient {
  /** Where a passthrough goes: to its own path, without that of the address (`coordinator.md` A.6). */
  private readonly origin: string;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly upstream: UpstreamClient,
  ) {
    this.origin = new URL(config.address).origin;
  }

  /** Largest answer that is read whole, in bytes. */
  get maxResponseBytes(): number {
    return this.upstream.maxResponseBytes;
  }

  /** @throws as `UpstreamClient.send` */
  call(call: PhaseCall): Promise<UpstreamReply> {
    return this.upstream.send({
      scope: call.scope,
      upstream: call.upstream,
      step: call.step,
      method: 'POST',
      base: this.config.address,
      path: call.path,
      headers: this.stamped(call.requestId ?? call.scope.id, call.profile, [
        ...(call.clientHeaders ?? call.scope.headers),
        'content-type',
        'application/json',
        ...(call.headers ?? []),
      ]),
      body: call.body,
      headLimit: call.isBuffered === true ? this.decodeLimit() : this.timeout(),
      idleLimit: call.profile === 'decode' ? this.streamIdleLimit() : this.timeout(),
      signal: call.signal ?? call.scope.signal,
      ...(call.item === undefined ? {} : { item: call.item }),
    });
  }

  /** As the decode profile, any method and path. @throws as `UpstreamClient.send` */
  passThrough(call: PassthroughCall): Promise<UpstreamReply> {
    return this.upstream.send({
      scope: call.scope,
      upstream: 'passthrough',
      step: 'passthrough',
      method: call.method,
      base: this.origin,
      path: call.path,
      headers: this.stamped(call.scope.id, 'decode', [...call.scope.headers, ...call.headers]),
      body: call.body,
      headLimit: this.decodeLimit(),
      idleLimit: this.streamIdleLimit(),
      signal: call.scope.signal,
    });
  }

  private stamped(requestId: string, profile: Profile, headers: readonly string[]): string[] {
    return [...headers, HEADER.requestId, requestId, this.config.profile_header, profile];
  }

  private timeout(): TimeLimit {
    return { ms: this.config.timeout, setting: 'gateway.timeout' };
  }

  private decodeLimit(): TimeLimit {
    return { ms: this.config.decode_timeout, setting: 'gateway.decode_timeout' };
  }

  private streamIdleLimit(): TimeLimit {
    return { ms: this.config.stream_idle_timeout, setting: 'gateway.stream_idle_timeout' };
  }
}
