import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Lifecycle } from '#foundation';
import { rawRoute } from '#server';

/**
 * `/health`: that the sidecar lives, and nothing of the engine. While it drains it is 503, so that a rollout sees it
 * (`sidecar.md` 1.8 has no word on that).
 */
@Injectable()
export class HealthRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly lifecycle: Lifecycle,
  ) {}

  onModuleInit(): void {
    const serve = (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const isDraining = this.lifecycle.phase === 'draining' || this.lifecycle.isClosing;
      response.writeHead(isDraining ? 503 : 200, { 'content-length': '0' }).end();
      return Promise.resolve();
    };
    this.host.httpAdapter.getInstance().route({ method: ['GET', 'HEAD'], url: '/health', ...rawRoute(serve) });
  }
}
