import { randomUUID } from 'node:crypto';
import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newCall } from '../control/open-exchange.ts';
import type { LoggedCall } from '../control/request-log.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { workerPhase } from '../worker/worker-phase.ts';
import { isProfile } from './endpoint-pool.ts';
import type { ExtProcClient } from './ext-proc.client.ts';
import { GatewayRoutes } from './gateway-routes.ts';
import type { HeaderPair } from './message-headers.ts';
import { ownTraceparent } from './own-traceparent.ts';
import { PickedExchange } from './picked-exchange.ts';
import { refusal, sendRefusal } from './refusal.ts';
import { HOP_BY_HOP, RelayHandler } from './relay-handler.ts';

const TRACEPARENT = 'traceparent';

/**
 * Sends a call with the profile header to a worker, and any other to the coordinator, streaming both ways. An endpoint picker says which
 * worker; without any, the gateway takes one of the role. Where decode workers have sidecars, the picker is asked about every call.
 */
@Controller()
export class DevGatewayController {
  constructor(
    private readonly state: SimulatorState,
    private readonly routes: GatewayRoutes,
  ) {}

  @All('*')
  relay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    reply.hijack();
    const id = request.headers['x-request-id'];
    const requestId = typeof id === 'string' ? id : randomUUID();
    const profile = request.headers[this.state.config.profile_header];
    if (this.routes.hasSidecars) return this.toSidecar(request, reply, requestId);
    if (profile === undefined) return this.toCoordinator(request, reply, requestId);
    const picker = this.routes.pickers?.for(profile);
    if (picker === undefined) this.toWorker(request, reply, requestId, profile);
    else this.toPicked(request, reply, requestId, picker);
  }

  private toCoordinator(request: FastifyRequest, reply: FastifyReply, requestId: string): void {
    const call = this.clientCall(request, reply, requestId);
    const { coordinatorUrl } = this.routes;
    if (coordinatorUrl === undefined) sendRefusal(reply.raw, refusal('this gateway has no coordinator'));
    else this.dispatch(request, reply, requestId, coordinatorUrl, {}, call);
  }

  /** A request of a client's, as it is logged. */
  private clientCall(request: FastifyRequest, { raw }: FastifyReply, requestId: string): LoggedCall {
    const { requests } = this.state;
    const call: LoggedCall = { ...newCall(request, 'gateway', 'client'), requestId };
    requests.begin(call);
    raw.once('close', () => {
      if (raw.headersSent) call.status = raw.statusCode;
      requests.finish(call, raw.writableFinished ? 'complete' : 'client-closed');
    });
    return call;
  }

  /** The picker says before which engine, and who else is to do something for it; a span of the gateway's own goes along. */
  private toSidecar(request: FastifyRequest, reply: FastifyReply, requestId: string): void {
    const { routes, state } = this;
    const picker = routes.pickers?.for('decode');
    if (picker === undefined) return sendRefusal(reply.raw, refusal('this gateway has no endpoint picker'));
    const call = this.clientCall(request, reply, requestId);
    const sent = request.headers[TRACEPARENT];
    const traceparent = ownTraceparent(Array.isArray(sent) ? undefined : sent);
    call.facts[TRACEPARENT] = traceparent;
    const others = relayedHeaders(request, requestId).filter(([name]) => name.toLowerCase() !== TRACEPARENT);
    new PickedExchange(
      {
        request: request.raw,
        response: reply.raw,
        headers: [...others, [TRACEPARENT, traceparent]],
        hasBody: hasBody(request),
        upstream: routes.upstream,
        onOwnAnswer: () => undefined,
        onBroken: () => {
          state.requests.finish(call, 'failed');
        },
      },
      picker,
    );
  }

  private toWorker(request: FastifyRequest, reply: FastifyReply, requestId: string, profile: unknown): void {
    const isKnown = isProfile(profile) && this.routes.pickers === undefined;
    const url = isKnown ? this.routes.endpoints.pick(profile, requestId) : undefined;
    if (url === undefined) {
      const message = `no worker for the profile ${JSON.stringify(profile)}`;
      sendRefusal(reply.raw, refusal(message, 503, { 'x-llm-d-request-dropped-reason': 'no-endpoints' }));
    } else {
      this.dispatch(request, reply, requestId, url, { 'x-gateway-destination-endpoint-served': new URL(url).host });
    }
  }

  /** A worker logs what reaches it; what does not is logged here, as a call of its phase. */
  private toPicked(request: FastifyRequest, reply: FastifyReply, requestId: string, picker: ExtProcClient): void {
    const { requests, config } = this.state;
    const phase = workerPhase(request.headers, config.profile_header, 'all');
    const call: LoggedCall = { ...newCall(request, 'gateway', phase), requestId };
    const response = reply.raw;
    const onOwnAnswer = (): void => {
      requests.begin(call);
      response.once('close', () => {
        call.status = response.statusCode;
        requests.finish(call, response.writableFinished ? 'complete' : 'client-closed');
      });
    };
    new PickedExchange(
      {
        request: request.raw,
        response,
        headers: relayedHeaders(request, requestId),
        hasBody: hasBody(request),
        upstream: this.routes.upstream,
        onOwnAnswer,
      },
      picker,
    );
  }

  private dispatch(
    request: FastifyRequest,
    reply: FastifyReply,
    requestId: string,
    origin: string,
    added: Readonly<Record<string, string>>,
    call?: LoggedCall,
  ): void {
    const handler = new RelayHandler(reply.raw, added, {
      head: (status, { 'x-request-id': answered }) => {
        if (call === undefined) return;
        call.status = status;
        if (typeof answered === 'string') call.requestId = answered;
      },
      ended: (end) => {
        if (end === 'refused') sendRefusal(reply.raw, refusal(`nobody listens at ${origin}`));
        if (end === 'broken' && call !== undefined) this.state.requests.finish(call, 'failed');
      },
    });
    this.routes.upstream.dispatch(
      {
        origin,
        path: request.url,
        method: request.method,
        headers: relayedHeaders(request, requestId).flat(),
        body: hasBody(request) ? request.raw : null,
      },
      handler,
    );
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function relayedHeaders({ raw }: FastifyRequest, requestId: string): HeaderPair[] {
  const headers: HeaderPair[] = [];
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && lower !== 'host' && lower !== 'expect')
      headers.push([name, raw.rawHeaders[i + 1] ?? '']);
  }
  return raw.headers['x-request-id'] === undefined ? [...headers, ['x-request-id', requestId]] : headers;
}
