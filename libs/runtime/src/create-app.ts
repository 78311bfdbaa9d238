import { NestFactory } from '@nestjs/core';
import type { DynamicModule, LoggerService } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import type { TlsOptions } from 'node:tls';
import { BadRequestError } from '#foundation';
import { ErrorFilter } from './error.filter.ts';
import { answer, answerClientError, answerExpectations } from './http-errors.ts';

/** What every HTTP app of this repository is started with. */
export interface AppOptions {
  readonly logger: LoggerService;
  /** Milliseconds for a whole request to arrive; 0 is no limit. Also how long an idle connection is kept. */
  readonly readTimeout: number;
  /** Milliseconds for the head of a request to arrive, where `readTimeout` does not say. */
  readonly headTimeout?: number;
  /** How long an idle connection is kept in milliseconds, where `readTimeout` does not say. */
  readonly idleTimeout?: number;
  readonly tls?: TlsOptions;
}

const MAX_HEADER_BYTES = 1024 * 1024;
/** Milliseconds between two looks for requests that take too long to arrive. */
const LOOK = 1_000;

/** The only place that makes a Nest application. The listener is not open yet. */
export async function createApp(module: DynamicModule, options: AppOptions): Promise<NestFastifyApplication> {
  const { readTimeout, headTimeout = readTimeout, idleTimeout = readTimeout } = options;
  const http = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headTimeout,
    requestTimeout: readTimeout,
    keepAliveTimeout: idleTimeout,
    connectionsCheckingInterval: LOOK,
  };
  const adapter = new FastifyAdapter({
    ...(options.tls === undefined ? { http } : { https: { ...http, ...options.tls } }),
    requestTimeout: readTimeout,
    keepAliveTimeout: idleTimeout,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (
      _error: Error,
      request: { raw: Parameters<typeof answer>[0] },
      reply: { raw: Parameters<typeof answer>[1]; hijack(): void },
    ) => {
      reply.hijack();
      answer(request.raw, reply.raw, new BadRequestError('invalid_value', 'malformed URL'));
    },
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: options.logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter());
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  // bodies are read by whoever serves the route
  fastify.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
  answerExpectations(adapter.getHttpServer<Server>());
  return app;
}
