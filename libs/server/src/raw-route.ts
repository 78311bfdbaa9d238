import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Options of a Fastify route that hand over the socket's own request and response as soon as the route is known. A handler
 * would come after Fastify has judged the content type, which is the upstream's business.
 * @param serve answers the request to its last byte; never rejects
 */
export function rawRoute(serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
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
