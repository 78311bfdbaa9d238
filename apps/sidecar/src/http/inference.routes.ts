import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { DISAGGREGATED_PATHS, DisaggObserver, EntryService, apiTypeOf, routingHints } from '#disaggregation';
import type { ApiType, RankListener } from '#disaggregation';
import { Lifecycle } from '#foundation';
import { answering, rawRoute, targetOf } from '#server';
import { IntakePolicy } from './intake.policy.ts';
import { MAX_BODY, RANK_LISTENER } from './rank-listener.token.ts';
import { RequestBody } from './request.body.ts';

/** The paths that are driven through stages; what else is asked for on them is passed through (`sidecar.md` 2). */
@Injectable()
export class InferenceRoutes implements OnModuleInit {
  private readonly logger = new Logger('server');

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly entry: EntryService,
    private readonly intake: IntakePolicy,
    private readonly lifecycle: Lifecycle,
    private readonly observer: DisaggObserver,
    @Inject(RANK_LISTENER) private readonly listener: RankListener,
    @Inject(MAX_BODY) private readonly maxBody: number,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    for (const path of DISAGGREGATED_PATHS) {
      const apiType = apiTypeOf(path) ?? 'chat_completions';
      fastify.post(
        path,
        rawRoute((request, response) => this.serve(request, response, { path, apiType })),
      );
    }
  }

  /** Serves one request to its last byte. Never rejects. */
  private async serve(request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> {
    const { lifecycle, logger, listener } = this;
    const reply = this.intake.reply(request, response);
    const scope = this.intake.scope(request, reply, false);
    const watch = this.observer.begin({ scope, method: 'POST', rank: listener.rank, ...route });
    await answering({ reply, watch, lifecycle, logger }, async () => {
      const answer = await this.entry.run({
        scope,
        path: targetOf(request),
        apiType: route.apiType,
        hints: routingHints(request.rawHeaders),
        listener,
        body: new RequestBody(request, this.maxBody),
        watch,
      });
      watch.answered(answer);
      await reply.send(answer);
    });
  }
}

interface Route {
  readonly path: string;
  readonly apiType: ApiType;
}
