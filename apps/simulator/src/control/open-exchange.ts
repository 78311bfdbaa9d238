import type { FastifyReply, FastifyRequest } from 'fastify';
import { Exchange } from './exchange.ts';
import type { Phase } from './fault.schema.ts';
import { isObject, parseObject } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { LoggedCall, LoggedPhase, RequestLog } from './request-log.ts';
import type { SimulatorState } from './simulator-state.ts';
import { WireError } from './wire-error.ts';

const KEPT_BODY_BYTES = 256 * 1024;

/** Begins the answer to a call of a phase: logged, and with the fault that is due. */
export function openExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  server: string,
  phase: Phase,
  state: SimulatorState,
): Exchange {
  const call = { ...newCall(request, server, phase), phase };
  return new Exchange(request, reply, call, state.requests, state.faults.take(phase));
}

/** The parsed body, noted in the log. @throws WireError 400, or 404 for a model that is not served */
export function readBody(exchange: Exchange, { config }: SimulatorState): JsonObject {
  const bytes = exchange.request.body;
  if (!Buffer.isBuffer(bytes)) throw new WireError('the request has no body');
  const body = parseObject(bytes);
  const { facts } = exchange.call;
  facts['bytes'] = bytes.length;
  facts['model'] = body['model'];
  if (bytes.length <= KEPT_BODY_BYTES) exchange.call.body = body;
  if (config.strict_model && body['model'] !== config.model) {
    throw new WireError(`The model ${JSON.stringify(body['model'])} does not exist.`, 404);
  }
  return body;
}

/** Logs a call whose answer Nest sends. */
export function logPlainCall(
  request: FastifyRequest,
  reply: FastifyReply,
  server: string,
  phase: LoggedPhase,
  log: RequestLog,
): void {
  const call = newCall(request, server, phase);
  log.begin(call);
  reply.raw.once('close', () => {
    call.status = reply.raw.statusCode;
    log.finish(call, reply.raw.writableFinished ? 'complete' : 'client-closed');
  });
}

export function newCall(request: FastifyRequest, server: string, phase: LoggedPhase): LoggedCall {
  const requestId = request.headers['x-request-id'];
  return {
    server,
    phase,
    method: request.method,
    path: request.url,
    headers: isObject(request.headers) ? request.headers : {},
    requestId: Array.isArray(requestId) ? requestId[0] : requestId,
    startedAt: Date.now(),
    facts: {},
    body: undefined,
    status: undefined,
    headMs: undefined,
    firstEventMs: undefined,
    durationMs: undefined,
    events: 0,
    outcome: undefined,
  };
}
