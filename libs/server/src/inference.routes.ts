import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Lifecycle } from '#foundation';
import { PipelineService, RequestObserver } from '#pipeline';
import { REQUEST_FORMATS, pathOf } from '#protocol';
import type { RequestFormat } from '#protocol';
import { answering } from './answering.ts';
import { IntakePolicy } from './intake.policy.ts';
import { rawRoute } from './raw-route.ts';
import { SERVER_CONFIG } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/**
 * The routes that are driven through the pipeline. They stand on the Fastify instance itself and write to the socket's own
 * response: between a client's byte and a worker's byte there is no framework.
 */
@Injectable()
export class InferenceRoutes implements OnModuleInit {
  private readonly logger = new Logger('server');

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly pipeline: PipelineService,
    private readonly intake: IntakePolicy,
    private readonly lifecycle: Lifecycle,
    private readonly observer: RequestObserver,
    @Inject(SERVER_CONFIG) private readonly config: ServerConfig,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    for (const format of REQUEST_FORMATS) {
      fastify.post(
        pathOf(format),
        rawRoute((request, response) => this.serve(request, response, format)),
      );
    }
  }

  /** Serves one request to its last byte. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse, format: RequestFormat): Promise<void> {
    const reply = this.intake.reply(request, response, false);
    const scope = this.intake.scope(request, reply, false);
    const path = pathOf(format);
    const watch = this.observer.begin({ scope, method: 'POST', path, route: path });
    const { lifecycle, logger } = this;
    await answering({ reply, watch, lifecycle, logger }, async () => {
      const inbound = await this.intake.request(request, scope, format, watch);
      if (inbound.stream) reply.keepAlive(this.config.sse_heartbeat);
      await reply.send(await this.pipeline.run(inbound));
    });
  }
}
