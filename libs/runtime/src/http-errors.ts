import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BadRequestError, errorResponse, requestId } from '#foundation';
import type { CoordinatorError } from '#foundation';

/** Faults that Node's parser finds, as the errors they are for the client. */
const PARSER_ERRORS: Readonly<Record<string, CoordinatorError>> = {
  HPE_HEADER_OVERFLOW: new BadRequestError('headers_too_large', 'request headers too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new BadRequestError('request_timeout', 'the request took too long (server.read_timeout)'),
};
/** Milliseconds that a client has to read what was wrong and close its side. */
const LINGER = 1_000;
const MALFORMED = new BadRequestError('invalid_body', 'malformed HTTP request');

/** Answers what never becomes a request: bytes that are not HTTP, headers without end, a request that does not arrive in time. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const { id } = requestId(undefined);
  const { status, headers, body } = errorResponse(PARSER_ERRORS[error.code ?? ''] ?? MALFORMED, id);
  const lines = Object.entries({ ...headers, 'x-request-id': id, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} Error\r\nconnection: close\r\n${head}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER).unref();
}

/** Answers expectations: `100-continue` where the body is welcome, anything else with 417. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, new BadRequestError('expectation_failed', 'unknown expectation'));
  });
}

/** Writes an error as the whole answer. */
export function answer(request: IncomingMessage, response: ServerResponse, error: CoordinatorError): void {
  const header = request.headers['x-request-id'];
  const { id } = requestId(Array.isArray(header) ? header[0] : header);
  const { status, headers, body } = errorResponse(error, id);
  response.writeHead(status, { ...headers, 'x-request-id': id, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
}
