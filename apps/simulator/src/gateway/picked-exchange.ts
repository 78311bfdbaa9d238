import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { ServiceError } from '@grpc/grpc-js';
import type { Agent } from 'undici';
import { bodyPieces } from '#ext-proc';
import type { BodyReply, HeadersReply, ImmediateReply, ProcessingResponse } from '#ext-proc';
import { breakConnection } from '../control/break-connection.ts';
import type { ExtProcClient, Received } from './ext-proc.client.ts';
import { headerMap, mutated, valueIn, withoutPseudo } from './message-headers.ts';
import type { HeaderPair } from './message-headers.ts';
import { PickerStream } from './picker-stream.ts';
import { refusal, sendRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { HOP_BY_HOP } from './relay-handler.ts';
import { statusCode } from './status-code.ts';
import { WorkerAnswer } from './worker-answer.ts';

/** A call as it came in. */
export interface PickedCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What is sent on of its headers. */
  readonly headers: readonly HeaderPair[];
  readonly hasBody: boolean;
  readonly upstream: Agent;
  /** Called once if the answer is the picker's or the gateway's own. */
  readonly onOwnAnswer: () => void;
  /** Called when an answer that has begun is broken off, the client still being there. */
  readonly onBroken?: () => void;
}

/** It has no body, not even one of no length. */
const NO_CONTENT = 204;
const DESTINATION = 'x-gateway-destination-endpoint';
const SERVED = 'x-gateway-destination-endpoint-served';

/**
 * One call through an endpoint picker, as Envoy has it in the mode FULL_DUPLEX_STREAMED (`epp.md` 1.2 to 1.8): the call is told to the
 * picker piece by piece, what goes on to the worker is what the picker says in reply, and so is what comes back of the worker's answer.
 * Without a picker nothing goes on: 503.
 */
export class PickedExchange {
  private readonly stream: PickerStream;
  private readonly answer: WorkerAnswer;
  private readonly workerBody = new PassThrough();
  private readonly requestHead: readonly HeaderPair[];
  private answerHead: readonly HeaderPair[] = [];
  private answerTrailers: readonly HeaderPair[] = [];
  private isHeadWhole = false;
  private served = '';
  private isOwnAnswer = false;
  private isOver = false;

  constructor(
    private readonly call: PickedCall,
    picker: ExtProcClient,
  ) {
    const { request, response, headers, hasBody } = call;
    const { method = 'GET', url = '/' } = request;
    this.requestHead = [
      [':method', method],
      [':path', url],
      [':scheme', 'http'],
      [':authority', request.headers.host ?? ''],
      ...headers,
    ];
    this.workerBody.on('error', () => undefined); // a worker that answers early leaves the rest of its body
    this.stream = new PickerStream(picker.open(), {
      reply: (message) => this.takeSafely(message),
      gone: (error) => this.pickerGone(picker.address, error),
    });
    this.answer = new WorkerAnswer(method, this.stream, {
      head: (pairs, isWhole) => {
        this.answerHead = pairs;
        this.isHeadWhole = isWhole;
      },
      trailers: (pairs) => {
        this.answerTrailers = pairs;
      },
      refused: () => {
        this.answersItself();
        const { status, headers: own, body } = refusal(`nobody listens at ${this.served}`);
        this.answer.replace(status, Object.entries(own), body);
      },
      broken: (how) => this.breakOff(how),
    });
    response.once('close', () => this.breakOff('reset'));
    this.stream.send({ request_headers: { headers: headerMap(this.requestHead), end_of_stream: !hasBody } });
    if (hasBody) this.tellBody(request);
  }

  private tellBody(request: IncomingMessage): void {
    request.on('data', (chunk: Buffer) => {
      for (const piece of bodyPieces(chunk, false)) this.stream.send({ request_body: piece }, request);
    });
    request.once('end', () => {
      this.stream.send({ request_body: { body: Buffer.alloc(0), end_of_stream: true } });
    });
  }

  /** A picker may say what HTTP does not allow. */
  private takeSafely(message: Received<ProcessingResponse>): void {
    try {
      this.take(message);
    } catch {
      this.refuse(refusal('what the endpoint picker made of the call cannot be sent'));
    }
  }

  private take(message: Received<ProcessingResponse>): void {
    if (message.immediate_response !== undefined) this.answerAtOnce(message.immediate_response);
    if (message.request_headers !== undefined) this.sendOn(message.request_headers);
    if (message.request_body !== undefined) this.passOn(this.workerBody, message.request_body);
    if (message.response_headers !== undefined) this.writeHead(message.response_headers);
    if (message.response_body !== undefined && this.passOn(this.call.response, message.response_body)) this.complete();
    if (message.response_trailers !== undefined) this.endWithTrailers();
  }

  private sendOn({ response }: Received<HeadersReply>): void {
    const { request, hasBody, upstream } = this.call;
    const head = mutated(this.requestHead, response?.header_mutation);
    // the picker's word, and not the caller's; of several endpoints, the first is the best
    const [destination = ''] = (valueIn(mutated([], response?.header_mutation), DESTINATION) ?? '').split(',');
    const origin = `http://${destination}`;
    if (!URL.canParse(origin)) return this.refuse(refusal('the endpoint picker named no endpoint'));
    this.served = destination;
    upstream.dispatch(
      {
        origin,
        path: valueIn(head, ':path') ?? '/',
        method: request.method ?? 'GET',
        headers: withoutPseudo(head).flat(),
        body: hasBody ? this.workerBody : null,
      },
      this.answer,
    );
  }

  /** @returns whether that was its last piece */
  private passOn(sink: PassThrough | ServerResponse, { response }: Received<BodyReply>): boolean {
    const { body, end_of_stream: isLast = false } = response?.body_mutation?.streamed_response ?? {};
    if (body !== undefined) this.stream.passTo(sink, body);
    if (isLast) sink.end();
    return isLast;
  }

  private writeHead(reply: Received<HeadersReply>): void {
    const head = mutated(this.answerHead, reply.response?.header_mutation);
    // a body that passes through the picker has the length that the picker gives it
    const left = (name: string): boolean => HOP_BY_HOP.has(name) || (name === 'content-length' && !this.isHeadWhole);
    const headers = withoutPseudo(head).filter(([name]) => !left(name.toLowerCase()));
    const { response } = this.call;
    response.writeHead(Number(valueIn(head, ':status')), [...headers, [SERVED, this.served] as const].flat());
    response.flushHeaders();
    if (!this.isHeadWhole) return;
    response.end();
    this.complete();
  }

  private endWithTrailers(): void {
    const { response } = this.call;
    response.addTrailers(this.answerTrailers.map(([name, value]): [string, string] => [name, value]));
    response.end();
    this.complete();
  }

  private answerAtOnce({ status, headers, body = Buffer.alloc(0) }: Received<ImmediateReply>): void {
    const code = statusCode(status?.code);
    const content: HeaderPair[] = [
      ['content-type', 'text/plain'],
      ['content-length', String(body.length)],
    ];
    const own = code === NO_CONTENT ? [] : content;
    this.refuse({ status: code, headers: Object.fromEntries(mutated(own, headers)), body });
  }

  private pickerGone(address: string, error: ServiceError | undefined): void {
    const why = error === undefined ? 'it ended the stream' : `gRPC status ${error.code}`;
    this.refuse(refusal(`the endpoint picker at ${address} did not say what is to become of the call: ${why}`));
  }

  /** Once the answer has begun it can only be broken off. */
  private refuse(own: Refusal): void {
    const { request, response } = this.call;
    if (response.headersSent) return this.breakOff('reset');
    this.answersItself();
    this.giveUp();
    sendRefusal(response, own);
    request.resume();
  }

  private answersItself(): void {
    if (this.isOwnAnswer) return;
    this.isOwnAnswer = true;
    this.call.onOwnAnswer();
  }

  private breakOff(how: 'reset' | 'cut'): void {
    if (this.isOver) return;
    this.giveUp();
    if (this.call.response.destroyed) return;
    this.call.onBroken?.();
    void breakConnection(this.call.response, how);
  }

  private giveUp(): void {
    this.isOver = true;
    this.stream.cancel();
    this.answer.abort();
    this.workerBody.destroy();
  }

  private complete(): void {
    this.isOver = true;
    this.stream.end();
  }
}
