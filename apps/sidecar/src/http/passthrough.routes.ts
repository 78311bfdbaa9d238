import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { DisaggObserver } from '#disaggregation';
import type { RankListener } from '#disaggregation';
import { Lifecycle } from '#foundation';
import { answering, forwardedBody, routeTheRest, targetOf } from '#server';
import { EngineClient } from './engine.client.ts';
import { IntakePolicy } from './intake.policy.ts';
import { MAX_BODY, RANK_LISTENER } from './rank-listener.token.ts';

/** Everything else, of any method: streamed to the engine of the listener and back (`sidecar.md` 2). */
@Injectable()
export class PassthroughRoutes implements OnModuleInit {
  private readonly logger = new Logger('passthrough');

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly engine: EngineClient,
    private readonly intake: IntakePolicy,
    private readonly lifecycle: Lifecycle,
    private readonly observer: DisaggObserver,
    @Inject(RANK_LISTENER) private readonly listener: RankListener,
    @Inject(MAX_BODY) private readonly maxBody: number,
  ) {}

  onModuleInit(): void {
    routeTheRest(this.host.httpAdapter.getInstance(), (request, response) => this.serve(request, response));
  }

  /** Serves one request to its last byte. Never rejects. */
  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { lifecycle, logger, listener } = this;
    const reply = this.intake.reply(request, response);
    const scope = this.intake.scope(request, reply, true);
    const { method = 'GET' } = request;
    const path = targetOf(request);
    const [withoutQuery = path] = path.split('?', 1);
    const watch = this.observer.begin({ scope, method, path: withoutQuery, apiType: undefined, rank: listener.rank });
    await answering({ reply, watch, lifecycle, logger }, async () => {
      const sent = await forwardedBody(request, this.maxBody);
      await reply.send(await this.engine.forward(listener.decoder, { scope, method, path, sent }));
    });
  }
}
