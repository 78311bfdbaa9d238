import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BadRequestError, DrainingError, Lifecycle, asCoordinatorError } from '#foundation';
import { PipelineService } from '#pipeline';
import { REQUEST_FORMATS, pathOf } from '#protocol';
import type { RequestFormat } from '#protocol';
import { ClientReply } from './client-reply.ts';
import { inboundRequest } from './inbound-request.ts';
import { IntakePolicy } from './intake.policy.ts';
import { readBody } from './request-body.ts';
import { SERVER_CONFIG, maxBodyBytes } from './server.config.ts';
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
    @Inject(SERVER_CONFIG) private readonly config: ServerConfig,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    for (const format of REQUEST_FORMATS) {
      fastify.post(pathOf(format), (request, reply) => {
        reply.hijack();
        void this.serve(request.raw, reply.raw, format);
      });
    }
  }

  /** Serves one request to its last byte. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse, format: RequestFormat): Promise<void> {
    const reply = this.intake.reply(request, response);
    try {
      await this.answer(request, reply, format);
    } catch (thrown) {
      const error = asCoordinatorError(thrown);
      if (error.status >= 500) {
        this.logger.warn({ code: error.code, status: error.status, 'x-request-id': reply.requestId, err: error }, error.message);
      }
      reply.fail(error);
    }
  }

  private async answer(request: IncomingMessage, reply: ClientReply, format: RequestFormat): Promise<void> {
    if (this.lifecycle.isClosing) throw new DrainingError();
    const coding = request.headers['content-encoding'];
    if (coding !== undefined && coding.trim().toLowerCase() !== 'identity' && coding.trim() !== '') {
      throw new BadRequestError('unsupported_encoding', 'content-encoding is not supported: send the body as it is', {
        status: 415,
      });
    }
    const bytes = await readBody(request, maxBodyBytes(this.config));
    const scope = this.intake.scope(request, reply, false);
    const inbound = await inboundRequest(scope, format, pathOf(format), bytes, this.config.trust_transfer_params);
    if (inbound.stream) reply.keepAlive(this.config.sse_heartbeat);
    await reply.send(await this.pipeline.run(inbound));
  }
}
