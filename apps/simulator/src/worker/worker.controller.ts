import { Controller, Get, Header, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange } from '../control/exchange.ts';
import { logPlainCall, openExchange, readBody } from '../control/open-exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { DecodeService } from './decode.service.ts';
import { EncodeService } from './encode.service.ts';
import { API_PATHS } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';
import { PrefillService } from './prefill.service.ts';
import { withFetchedMedia } from '../sidecar-worker/fetched-media.ts';
import { requestOfEncode } from '../sidecar-worker/sidecar-ec.ts';
import { vllmMetrics } from './vllm-metrics.ts';
import type { WorkerCall } from './worker-call.ts';
import { WorkerIdentity } from './worker-identity.ts';
import { enginePhase, requireRole, workerPhase } from './worker-phase.ts';

/** A vLLM server as far as a coordinator or a decode sidecar can tell. */
@Controller()
export class WorkerController {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
    private readonly encode: EncodeService,
    private readonly prefill: PrefillService,
    private readonly decode: DecodeService,
  ) {}

  @Post(API_PATHS.chat)
  chat(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle('chat', request, reply);
  }

  @Post(API_PATHS.completions)
  completions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle('completions', request, reply);
  }

  @Post(API_PATHS.responses)
  responses(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle('responses', request, reply);
  }

  @Post(API_PATHS.generate)
  generate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle('generate', request, reply);
  }

  @Get('v1/models')
  models(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): object {
    logPlainCall(request, reply, this.worker.name, 'other', this.state.requests);
    return {
      object: 'list',
      data: [{ id: this.state.config.model, object: 'model', created: 0, owned_by: 'simulator' }],
    };
  }

  @Get('health')
  health(): string {
    return '';
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): string {
    return vllmMetrics(this.worker, this.state.config.model, this.state.config.cache_blocks);
  }

  private async handle(api: InferenceApi, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { role, name } = this.worker;
    const hasSidecars = this.state.config.sidecar !== undefined;
    const phase = hasSidecars
      ? enginePhase(role)
      : workerPhase(request.headers, this.state.config.profile_header, role);
    const exchange = openExchange(request, reply, name, phase, this.state);
    if (hasSidecars && phase === 'encode') exchange.call.requestId = requestOfEncode(exchange.call.requestId);
    await exchange.run(async () => {
      requireRole(phase, role);
      const call = await this.callOf(exchange, api);
      if (phase === 'encode') await this.encode.handle(exchange, call);
      else if (phase === 'prefill') await this.prefill.handle(exchange, call);
      else await this.decode.handle(exchange, call);
    });
  }

  private async callOf(exchange: Exchange, api: InferenceApi): Promise<WorkerCall> {
    const sent = readBody(exchange, this.state);
    const { request, call, signal } = exchange;
    // readBody has looked
    const bytes = request.body as Buffer;
    // a coordinator replaces the URLs of media; behind a sidecar engines fetch them
    const body = this.state.config.sidecar === undefined ? sent : await withFetchedMedia(sent, signal);
    return { api, body, bytes, headers: request.headers, requestId: call.requestId, signal };
  }
}
