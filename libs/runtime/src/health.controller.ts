import { Controller, Get, Head, Header, HttpStatus, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ReadinessService } from './readiness.service.ts';

/** Probes. `/healthz` is the process alone; `/readyz` is whether it wants requests (`decisions.md` O1). */
@Controller()
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('healthz')
  @Header('content-type', 'text/plain; charset=utf-8')
  health(): string {
    return 'ok';
  }

  @Head('healthz')
  healthHead(): void {
    // the status says it all
  }

  @Get('readyz')
  ready(@Query('verbose') verbose: string | undefined, @Res({ passthrough: true }) reply: FastifyReply): string {
    this.readyHead(reply);
    reply.header('content-type', 'text/plain; charset=utf-8');
    if (verbose !== undefined) return this.details();
    return this.readiness.isReady ? 'ok' : `not ready: ${this.reason()}`;
  }

  @Head('readyz')
  readyHead(@Res({ passthrough: true }) reply: FastifyReply): void {
    reply.status(this.readiness.isReady ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
  }

  private reason(): string {
    const missing = this.readiness.states().find(({ isUp, isRequired }) => isRequired && !isUp);
    return missing === undefined || this.readiness.phase !== 'serving'
      ? this.readiness.phase
      : `${missing.name} ${missing.reason ?? ''}`;
  }

  private details(): string {
    const lines = this.readiness
      .states()
      .map(
        ({ name, isUp, isRequired, reason }) =>
          `[${isUp ? '+' : '-'}] ${name} ${reason ?? 'ok'}${isRequired ? ' (required)' : ''}`,
      );
    return [`process ${this.readiness.phase}`, ...lines, this.readiness.isReady ? 'ready' : 'not ready', ''].join('\n');
  }
}
