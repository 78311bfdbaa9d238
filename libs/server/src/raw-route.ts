import { METHODS } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Answers a request to its last byte; never rejects. */
export type RawServe = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Options of a Fastify route that hand over the socket's own request and response as soon as the route is known. A handler
 * would come after Fastify has judged the content type, which is the upstream's business.
 */
export function rawRoute(serve: RawServe) {
  return {
    // `done` is not called, so nothing follows
    onRequest: (request: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack();
      void serve(request.raw, reply.raw);
    },
    handler: (): never => {
      throw new Error('served before');
    },
  };
}

/** Has all paths that have no route of their own served, by every method but CONNECT. */
export function routeTheRest(fastify: FastifyInstance, serve: RawServe): void {
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true });
  }
  fastify.route({ method: methods, url: '/*', ...rawRoute(serve) });
}
