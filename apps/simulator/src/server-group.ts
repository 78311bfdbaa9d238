import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Where a server listens. */
export interface ServerAddress {
  readonly url: string;
  readonly port: number;
}

/** Picked, since Nest declares the whole as a class. */
type ServerOptions = Pick<NestApplicationOptions, 'logger' | 'bodyParser' | 'abortOnError'>;

const BODY_LIMIT = 512 * 1024 * 1024;

/** Servers that live and end together: a Nest application for each port. */
export class ServerGroup {
  private readonly running: NestFastifyApplication[] = [];

  constructor(private readonly host: string) {}

  /**
   * @param body `buffered`: handlers get the whole body as a Buffer. `streamed`: they get the untouched stream.
   * @throws Error EADDRINUSE
   */
  async start(module: DynamicModule, port: number, body: 'buffered' | 'streamed' = 'buffered'): Promise<ServerAddress> {
    const adapter = new FastifyAdapter({ bodyLimit: BODY_LIMIT, forceCloseConnections: true });
    const options: ServerOptions = { logger: false, bodyParser: false, abortOnError: false };
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
    const fastify = adapter.getInstance();
    fastify.removeAllContentTypeParsers();
    if (body === 'buffered') {
      fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => {
        done(null, bytes);
      });
    } else {
      fastify.addContentTypeParser('*', (_request, _stream, done) => {
        done(null);
      });
    }
    this.running.push(app);
    await app.listen(port, this.host);
    const address = app.getHttpServer().address();
    const listening = typeof address === 'object' && address !== null ? address.port : port;
    return { url: `http://${this.host}:${listening}`, port: listening };
  }

  /** Ends open connections too. */
  async close(): Promise<void> {
    await Promise.all(this.running.map((app) => app.close()));
  }
}
