import { randomUUID } from 'node:crypto';
import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newCall } from '../control/open-exchange.ts';
import type { LoggedCall } from '../control/request-log.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { WireError } from '../control/wire-error.ts';
import { isProfile } from './endpoint-pool.ts';
import { GatewayRoutes } from './gateway-routes.ts';
import { HOP_BY_HOP, RelayHandler } from './relay-handler.ts';

/** Sends a call with the profile header to a worker of that role, and any other to the coordinator, streaming both ways. */
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
    if (profile === undefined) this.toCoordinator(request, reply, requestId);
    else this.toWorker(request, reply, requestId, profile);
  }

  private toCoordinator(request: FastifyRequest, reply: FastifyReply, requestId: string): void {
    const { requests } = this.state;
    const call: LoggedCall = { ...newCall(request, 'gateway', 'client'), requestId };
    const response = reply.raw;
    requests.begin(call);
    response.once('close', () => {
      if (response.headersSent) call.status = response.statusCode;
      requests.finish(call, response.writableFinished ? 'complete' : 'client-closed');
    });
    const { coordinatorUrl } = this.routes;
    if (coordinatorUrl === undefined) refuse(reply, 'this gateway has no coordinator', {});
    else this.dispatch(request, reply, requestId, coordinatorUrl, {}, call);
  }

  private toWorker(request: FastifyRequest, reply: FastifyReply, requestId: string, profile: unknown): void {
    const url = isProfile(profile) ? this.routes.endpoints.pick(profile, requestId) : undefined;
    if (url === undefined) {
      refuse(reply, `no worker for the profile ${JSON.stringify(profile)}`, {
        'x-llm-d-request-dropped-reason': 'no-endpoints',
      });
    } else {
      this.dispatch(request, reply, requestId, url, { 'x-gateway-destination-endpoint-served': new URL(url).host });
    }
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
        if (end === 'refused') refuse(reply, `nobody listens at ${origin}`, {});
        if (end === 'broken' && call !== undefined) this.state.requests.finish(call, 'failed');
      },
    });
    const hasBody =
      request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    this.routes.upstream.dispatch(
      {
        origin,
        path: request.url,
        method: request.method,
        headers: relayedHeaders(request, requestId),
        body: hasBody ? request.raw : null,
      },
      handler,
    );
  }
}

function relayedHeaders({ raw }: FastifyRequest, requestId: string): string[] {
  const headers: string[] = [];
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && lower !== 'host' && lower !== 'expect')
      headers.push(name, raw.rawHeaders[i + 1] ?? '');
  }
  return raw.headers['x-request-id'] === undefined ? [...headers, 'x-request-id', requestId] : headers;
}

function refuse(reply: FastifyReply, message: string, headers: Readonly<Record<string, string>>): void {
  const body = Buffer.from(JSON.stringify(new WireError(message, 503).body()));
  reply.raw.writeHead(503, { 'content-type': 'application/json', 'content-length': String(body.length), ...headers });
  reply.raw.end(body);
}
