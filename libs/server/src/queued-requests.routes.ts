import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { BROKER_CONFIG, BrokerKeys, invalidRequest, isRequestId, namedTenant, refusalAnswer } from '#broker';
import type { BrokerAnswer, BrokerConfig, RequestKeys } from '#broker';
import { BadRequestError, Lifecycle } from '#foundation';
import { RequestObserver } from '#pipeline';
import type { RequestScope } from '#protocol';
import { answering } from './answering.ts';
import type { ClientReply } from './client-reply.ts';
import { IntakePolicy } from './intake.policy.ts';
import { PassthroughRoutes } from './passthrough.routes.ts';
import { QueuedResults } from './queued-requests.results.ts';
import { rawRoute } from './raw-route.ts';
import { targetOf } from './request-target.ts';

const PREFIX = '/v1/requests/';
const ROUTE = `${PREFIX}{id}`;
const METHODS = ['GET', 'HEAD', 'DELETE'];

/** Results of queued requests, fetched and given up by the request's id (`coordinator.md` C.9, "Routes"). */
@Injectable()
export class QueuedRequestsRoutes implements OnModuleInit {
  private readonly logger = new Logger('server');

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly intake: IntakePolicy,
    private readonly lifecycle: Lifecycle,
    private readonly observer: RequestObserver,
    private readonly others: PassthroughRoutes,
    private readonly results: QueuedResults,
    private readonly keys: BrokerKeys,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    // a parameter of the router would let no long id come here
    fastify.route({
      method: [...fastify.supportedMethods],
      url: `${PREFIX}*`,
      ...rawRoute((request, response) => this.serve(request, response)),
    });
  }

  /** Serves one request to its last byte. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = targetOf(request).split('?', 1)[0] ?? '';
    const id = path.slice(PREFIX.length);
    if (id.includes('/')) return this.others.serve(request, response);
    const { method = 'GET' } = request;
    const reply = this.intake.reply(request, response, true);
    const scope = this.intake.scope(request, reply, false);
    const watch = this.observer.begin({ scope, method, path, route: ROUTE, isInference: false });
    const { lifecycle, logger } = this;
    await answering({ reply, watch, lifecycle, logger }, async () => {
      if (!METHODS.includes(method)) {
        response.setHeader('allow', METHODS.join(', '));
        throw new BadRequestError('method_not_allowed', `${ROUTE} takes ${METHODS.join(', ')} only`);
      }
      const keys = this.keysOf(scope, id);
      if ('status' in keys) await reply.send(keys);
      else await this.answer(method, scope, keys, reply);
    });
  }

  private async answer(method: string, scope: RequestScope, keys: RequestKeys, reply: ClientReply): Promise<void> {
    if (method === 'DELETE') return reply.send(await this.results.remove(scope, keys));
    const { answer, isResult } = await this.results.fetch(scope, keys);
    await reply.send(answer);
    if (!isResult || method === 'HEAD' || (await reply.end) !== 'completed') return;
    await this.results.shorten(keys);
  }

  /** The keys of the request, or the refusal where what the client names cannot be part of a key. */
  private keysOf({ id: own, headers }: RequestScope, id: string): RequestKeys | BrokerAnswer {
    const { tenant, problem } = namedTenant(headers, this.config.tenant_header);
    if (problem !== undefined) return refusalAnswer(invalidRequest(problem), own);
    if (isRequestId(id)) return this.keys.of(tenant, id);
    return refusalAnswer(invalidRequest('request id must be 1-128 alphanumeric or dash characters'), own);
  }
}
