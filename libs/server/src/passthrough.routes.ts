import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BadRequestError, Lifecycle } from '#foundation';
import { GatewayClient } from '#gateway';
import { RequestObserver } from '#pipeline';
import { formatOfPath } from '#protocol';
import type { RequestScope } from '#protocol';
import { answering } from './answering.ts';
import type { ClientReply } from './client-reply.ts';
import { forwardedBody } from './forwarded-body.ts';
import { withForwardedFor } from './forwarded-for.ts';
import { IntakePolicy } from './intake.policy.ts';
import { routeTheRest } from './raw-route.ts';
import { targetOf } from './request-target.ts';
import { SERVER_CONFIG, maxBodyBytes } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/** Every other path: sent to the gateway as the decode profile, both bodies streamed (`coordinator.md` A.6). */
@Injectable()
export class PassthroughRoutes implements OnModuleInit {
  private readonly logger = new Logger('passthrough');

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly gateway: GatewayClient,
    private readonly intake: IntakePolicy,
    private readonly lifecycle: Lifecycle,
    private readonly observer: RequestObserver,
    @Inject(SERVER_CONFIG) private readonly config: ServerConfig,
  ) {}

  onModuleInit(): void {
    routeTheRest(this.host.httpAdapter.getInstance(), (request, response) => this.serve(request, response));
  }

  /** Serves one request to its last byte. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = this.intake.reply(request, response, true);
    const scope = onBehalfOf(request, this.intake.scope(request, reply, true));
    const path = pathOnly(request);
    const watch = this.observer.begin({ scope, method: request.method ?? 'GET', path, route: undefined });
    const { lifecycle, logger } = this;
    await answering({ reply, watch, lifecycle, logger }, async () => {
      this.refuseUnserved(path, response);
      await this.relay(request, scope, reply);
    });
  }

  private refuseUnserved(path: string, response: ServerResponse): void {
    if (formatOfPath(path) !== undefined) {
      response.setHeader('allow', 'POST');
      throw new BadRequestError('method_not_allowed', `${path} takes POST only`);
    }
    if (!this.config.passthrough) {
      throw new BadRequestError('not_found', 'no such path (server.passthrough is off)');
    }
  }

  private async relay(request: IncomingMessage, scope: RequestScope, reply: ClientReply): Promise<void> {
    const { body, headers } = await forwardedBody(request, maxBodyBytes(this.config));
    const answer = await this.gateway.passThrough({
      scope,
      method: request.method ?? 'GET',
      path: targetOf(request),
      body,
      headers,
    });
    await reply.send(answer);
  }
}

function pathOnly(request: IncomingMessage): string {
  return targetOf(request).split('?', 1)[0] ?? '/';
}

/** The passthrough is a reverse proxy: it says on whose behalf it asks. */
function onBehalfOf(request: IncomingMessage, scope: RequestScope): RequestScope {
  return { ...scope, headers: withForwardedFor(scope.headers, request) };
}
