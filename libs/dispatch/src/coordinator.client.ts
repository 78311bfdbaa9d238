import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CoordinatorError, UpstreamAnswerError } from '#foundation';
import { UpstreamClient, firstValue } from '#gateway';
import type { UpstreamReply } from '#gateway';
import { HEADER, forwardedHeaders } from '#protocol';
import type { RequestScope, TraceContext } from '#protocol';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import type { ReceivedEnvelope } from './received-envelope.ts';
import { retryAfter } from './retry-after.ts';
import type { TryEnd } from './retry-policy.ts';

const NO_LIMIT = { ms: 0, setting: '' };

/** Has requests served by the coordinator, each as an ordinary one. */
@Injectable()
export class CoordinatorClient {
  private readonly logger = new Logger('dispatch');
  private readonly dropped: ReadonlySet<string>;

  constructor(
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    private readonly upstream: UpstreamClient,
  ) {
    this.dropped = new Set([config.coordinator.mode_header]);
  }

  /**
   * One try. The request goes without an id, so that it gets one of its own (`coordinator.md` C.9).
   * @throws the reason of the signal, and nothing else
   */
  async send(envelope: ReceivedEnvelope, trace: TraceContext, signal: AbortSignal): Promise<TryEnd> {
    try {
      const reply = await this.call(envelope, trace, signal);
      const asked = firstValue(reply, HEADER.retryAfter);
      const body = await reply.body.readAll(this.upstream.maxResponseBytes, 'coordinator.max_response_size');
      return { kind: 'answer', status: reply.status, body, retryAfter: retryAfter(asked, Date.now()) };
    } catch (error) {
      signal.throwIfAborted();
      return this.failure(error);
    }
  }

  private call(envelope: ReceivedEnvelope, trace: TraceContext, signal: AbortSignal): Promise<UpstreamReply> {
    const { headers } = forwardedHeaders(Object.entries(envelope.headers).flat(), this.dropped);
    const scope: RequestScope = { id: randomUUID(), signal, headers, trace };
    return this.upstream.send({
      scope,
      upstream: 'passthrough',
      step: 'dispatch',
      method: 'POST',
      base: this.config.coordinator.address,
      path: envelope.endpoint,
      headers: [...headers, 'content-type', 'application/json'],
      body: [envelope.payload],
      headLimit: { ms: this.config.coordinator.timeout, setting: 'coordinator.timeout' },
      idleLimit: NO_LIMIT,
      signal,
    });
  }

  private failure(error: unknown): TryEnd {
    if (!(error instanceof CoordinatorError)) {
      // its message may quote what was sent
      this.logger.error({ error: error instanceof Error ? error.name : typeof error }, 'a request could not be sent');
      return { kind: 'failure', failure: 'internal', isFinal: false };
    }
    return { kind: 'failure', failure: error.code, isFinal: error instanceof UpstreamAnswerError };
  }
}
