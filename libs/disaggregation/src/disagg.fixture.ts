import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ClientClosedError, asCoordinatorError } from '#foundation';
import { UpstreamClient, gatewayConfig } from '#gateway';
import type { ClientResponse } from '#pipeline';
import { forwardedHeaders, hostPort } from '#protocol';
import type { HostPort } from '#protocol';
import { FakeUpstream, json } from '#testing';
import type { Handler, RawUpstream, RecordedRequest, TcpPeer } from '#testing';
import { apiTypeOf } from './api-type.ts';
import { LocalDecode } from './decode/local-decode.ts';
import type { DisaggRequest, TransferRequest } from './disagg-request.ts';
import { disaggErrorResponse } from './disagg-error-response.ts';
import type { DisaggFacts, DisaggWatch, Stage, StageEnd } from './disagg.observer.ts';
import { readRequest } from './entry.service.ts';
import { routingHints } from './routing-hints.ts';
import { StageClient } from './stage.client.ts';

/** A request as a test sends it. */
export interface Sent {
  readonly path?: string;
  /** JSON text, or anything else. */
  readonly body?: string | Buffer;
  /** Flat, as Node's `rawHeaders`; the routing headers are read and removed. */
  readonly headers?: readonly string[];
  readonly rank?: number;
}

/** What a client gets. */
export interface Received {
  readonly status: number;
  readonly headers: ClientResponse['headers'];
  readonly body: string;
}

/** Remembers what it is told. */
export class RecordingWatch implements DisaggWatch {
  facts: DisaggFacts = {};
  /** `prefill: status_5xx`, `decode: good`, in the order of their ends. */
  readonly ends: string[] = [];
  readonly open: Stage[] = [];
  private waiting: (() => void)[] = [];

  note(facts: DisaggFacts): void {
    this.facts = { ...this.facts, ...facts };
  }

  stage(stage: Stage): { ended: (end: StageEnd) => void } {
    this.open.push(stage);
    let isOpen = true;
    return {
      ended: ({ failure }) => {
        if (!isOpen) return;
        isOpen = false;
        this.open.splice(this.open.indexOf(stage), 1);
        this.ends.push(`${stage}: ${failure ?? 'good'}`);
        for (const wake of this.waiting.splice(0)) wake();
      },
    };
  }

  answered(): void {}

  failed(): void {}

  ended(): void {}

  /** Done when no stage is open any more. */
  async settled(): Promise<readonly string[]> {
    while (this.open.length > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.ends.toSorted();
  }
}

/** One request on its way, and the client that waits for it. */
export class Exchange {
  readonly watch = new RecordingWatch();
  private readonly aborter = new AbortController();
  /** Called with each chunk that the client gets of an answer that arrives. */
  onChunk: () => void = () => undefined;
  readonly request: DisaggRequest;

  constructor({ path = '/v1/chat/completions', body = '{}', headers = [], rank = 0 }: Sent, decoder: string) {
    const forwarded = forwardedHeaders(headers, new Set(), true);
    const bytes = Buffer.from(body);
    this.request = {
      scope: { id: 'req-1', signal: this.aborter.signal, ...forwarded },
      path,
      apiType: apiTypeOf(path.split('?', 1)[0] ?? '') ?? 'chat_completions',
      hints: routingHints(headers),
      listener: { rank, port: 8000 + rank, decoder },
      body: {
        stream: () => ({ body: [bytes], headers: ['content-type', 'application/json'] }),
        bytes: () => Promise.resolve(bytes),
      },
      watch: this.watch,
    };
  }

  async transfer(prefiller: HostPort, source?: HostPort): Promise<TransferRequest> {
    return { ...(await readRequest(this.request)), prefiller, source };
  }

  /** The client goes away. */
  leave(): void {
    this.aborter.abort(new ClientClosedError());
  }

  /** The whole answer, that of an error included. @throws what broke it off behind its head */
  async received(answer: Promise<ClientResponse>): Promise<Received> {
    const response = await answer.catch((error: unknown) => {
      const { body, ...head } = disaggErrorResponse(asCoordinatorError(error), this.request.scope.id);
      return { ...head, body: [Buffer.from(body)] };
    });
    const { status, headers, body } = response;
    const chunks: Buffer[] = [];
    const write = (chunk: Buffer): boolean => {
      chunks.push(chunk);
      this.onChunk();
      return true;
    };
    if ('pipe' in body) await body.pipe({ write });
    else chunks.push(...body);
    return { status, headers, body: Buffer.concat(chunks).toString() };
  }
}

/** For specs: the calls of the stages with real connections, and the engine beside us. */
export class DisaggBench {
  readonly prefillClient = newClient();
  readonly stages: StageClient;
  readonly decode: LocalDecode;
  private readonly clients: readonly UpstreamClient[];
  private readonly workers: FakeUpstream[] = [];

  private constructor(readonly engine: FakeUpstream) {
    const clients = { encode: newClient(), prefill: this.prefillClient, decode: newClient() };
    this.clients = Object.values(clients);
    this.stages = new StageClient(clients, new Set());
    this.decode = new LocalDecode(this.stages, new Map());
  }

  static async start(handler: Handler = answering('{"id":"decoded"}')): Promise<DisaggBench> {
    return new DisaggBench(await FakeUpstream.start(handler));
  }

  /** A worker that is closed with the bench. */
  async worker(handler: Handler = answering('{"choices":[{}]}')): Promise<FakeUpstream> {
    const worker = await FakeUpstream.start(handler);
    this.workers.push(worker);
    return worker;
  }

  /** @param decoder base URL of the engine, where it is not the bench's own */
  exchange(sent: Sent = {}, decoder = this.engine.url): Exchange {
    return new Exchange(sent, decoder);
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.onApplicationShutdown();
    for (const worker of [this.engine, ...this.workers]) await worker.close();
  }
}

export function targetOf({ url }: { readonly url: string }): HostPort {
  const target = hostPort(url);
  if (target === undefined) throw new Error('a server has an address');
  return target;
}

export function answering(body: string, status = 200): Handler {
  return (_, response) => {
    json(response, body, status);
  };
}

/** A `host:port` on which nobody listens. */
export async function deadTarget(): Promise<HostPort> {
  const upstream = await FakeUpstream.start(() => undefined);
  const target = targetOf(upstream);
  await upstream.close();
  return target;
}

/** The value of a member of a body that a worker was sent; of bodies that specs write, so plainly parsed. */
export function sentTo(worker: FakeUpstream, nth = 0): Record<string, unknown> {
  const request = worker.requests[nth];
  if (request === undefined) throw new Error(`no request ${nth}`);
  return parsed(request);
}

export function parsed({ body }: RecordedRequest): Record<string, unknown> {
  // an object, by what specs send
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

/** What is logged while the test lasts: level, fields and message of each line. */
export function recordLogs(): LogLine[] {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: unknown, message?: unknown): void => {
      lines.push({ level, fields, message });
    };
  Logger.overrideLogger({ log: at('log'), debug: at('debug'), warn: at('warn'), error: at('error') });
  return lines;
}

export interface LogLine {
  readonly level: string;
  readonly fields: unknown;
  readonly message: unknown;
}

/** Text that is found in nothing but content. */
export function secret(): string {
  return `secret-${randomUUID()}`;
}

function newClient(): UpstreamClient {
  return new UpstreamClient(gatewayConfig.parse({ address: 'http://unused.invalid' }), []);
}

/** Done when the worker has been sent a call, on its first connection. */
export async function called(worker: RawUpstream): Promise<TcpPeer> {
  for (;;) {
    const [peer] = worker.peers;
    if (peer !== undefined) {
      await peer.until('POST');
      return peer;
    }
    await nextTurn();
  }
}
