import { METHODS } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BadRequestError, Lifecycle } from '#foundation';
import { GatewayClient } from '#gateway';
import type { Rope } from '#json';
import { RequestObserver } from '#pipeline';
import { formatOfPath } from '#protocol';
import type { RequestScope } from '#protocol';
import { answering } from './answering.ts';
import type { ClientReply } from './client-reply.ts';
import { withForwardedFor } from './forwarded-for.ts';
import { IntakePolicy } from './intake.policy.ts';
import { rawRoute } from './raw-route.ts';
import { announcedLength, checkAnnouncedLength, hasBody, readBody, streamBody } from './request-body.ts';
import { targetOf } from './request-target.ts';
import { SERVER_CONFIG, maxBodyBytes } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/** Bodies up to this size are read whole, so that a call whose connection broke can be repeated. */
const READ_WHOLE = 64 * 1024;

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
    const fastify = this.host.httpAdapter.getInstance();
    const methods = METHODS.filter((method) => method !== 'CONNECT');
    for (const method of methods) {
      if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true });
    }
    fastify.route({ method: methods, url: '/*', ...rawRoute((request, response) => this.serve(request, response)) });
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
    const limit = maxBodyBytes(this.config);
    checkAnnouncedLength(request, limit);
    const length = announcedLength(request);
    const isSmall = length !== undefined && length <= READ_WHOLE;
    const body = hasBody(request)
      ? isSmall
        ? await wholeBody(request, limit)
        : streamBody(request, limit)
      : undefined;
    const framing = body === undefined || isSmall || length === undefined ? [] : ['content-length', String(length)];
    const answer = await this.gateway.passThrough({
      scope,
      method: request.method ?? 'GET',
      path: targetOf(request),
      body,
      headers: framing,
    });
    await reply.send(answer);
  }
}

function pathOnly(request: IncomingMessage): string {
  return targetOf(request).split('?', 1)[0] ?? '/';
}

async function wholeBody(request: IncomingMessage, limit: number): Promise<Rope> {
  return [await readBody(request, limit)];
}

/** The passthrough is a reverse proxy: it says on whose behalf it asks. */
function onBehalfOf(request: IncomingMessage, scope: RequestScope): RequestScope {
  return { ...scope, headers: withForwardedFor(scope.headers, request) };
}
