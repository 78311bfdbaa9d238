import { decodeStruct, encodeStruct } from '#ext-proc';
import type {
  HeaderMap,
  HeaderMutation,
  JsonData,
  JsonFields,
  Metadata,
  ProcessingRequest,
  ProcessingResponse,
} from '#ext-proc';
import type { Usage } from '#protocol';
import type { ExchangeObserver, ReceivedAnswer, Termination } from '#scheduling';
import { Exchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange.scope.ts';
import { ANY, aPicker, anEndpoint } from '../picker.fixture.ts';
import type { TestPicker } from '../picker.fixture.ts';

/** Remembers what it is told. */
export class RecordingObserver implements ExchangeObserver {
  readonly events: string[] = [];
  readonly usages: Usage[] = [];
  answer: ReceivedAnswer | undefined;
  trace: ReadonlyMap<string, string> = new Map();

  received(): void {
    this.events.push('received');
  }
  began(): void {
    this.events.push('began');
  }
  read(): void {
    this.events.push('read');
  }
  cycle(): undefined {
    this.events.push('cycle');
  }
  cycleEnded(): void {
    this.events.push('cycle ended');
  }
  preparing(): void {
    this.events.push('preparing');
  }
  prepared(): void {
    this.events.push('prepared');
  }
  propagated(): ReadonlyMap<string, string> {
    return this.trace;
  }
  scheduled(): void {
    this.events.push('scheduled');
  }
  reserved(): void {
    this.events.push('reserved');
  }
  refused({ code }: { readonly code: string }): void {
    this.events.push(`refused ${code}`);
  }
  sent(): void {
    this.events.push('sent');
  }
  responseHeaders(answer: ReceivedAnswer): void {
    this.answer = answer;
    this.events.push('response headers');
  }
  firstByte(): void {
    this.events.push('first byte');
  }
  chunk(bytes: number): void {
    this.events.push(`chunk ${bytes}`);
  }
  handled(): void {
    this.events.push('handled');
  }
  usage(usage: Usage): void {
    this.usages.push(usage);
    this.events.push('usage');
  }
  ended(how: Termination): void {
    this.events.push(`ended ${how}`);
  }
}

export const POD = anEndpoint('pod', '10.0.0.1');

const OPTIONS: ExchangeOptions = { heedsSubset: true, emitsScores: false };

/** An exchange, what it sent, and words to speak to it with. */
export class Conversation {
  readonly sent: ProcessingResponse[] = [];
  readonly seen = new RecordingObserver();
  readonly exchange: Exchange;

  constructor(
    readonly picker: TestPicker = aPicker(ANY, [POD]),
    options: Partial<ExchangeOptions> = {},
  ) {
    this.exchange = new Exchange({
      director: picker.director,
      observer: this.seen,
      options: { ...OPTIONS, ...options },
      send: (message) => {
        this.sent.push(message);
      },
    });
  }

  say(message: ProcessingRequest): Promise<boolean> {
    return this.exchange.receive(message);
  }

  /** A whole request: its headers, and its body in one piece. */
  async request(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
    await this.say(requestHeaders({ ':path': '/v1/chat/completions', ...headers }));
    return this.say(requestBody(body, true));
  }

  get immediate(): { readonly status: number; readonly body: string; readonly headers: Record<string, string> } {
    const reply = this.sent.at(-1)?.immediate_response;
    if (reply === undefined) throw new Error('the client was not answered');
    return { status: reply.status.code, body: reply.body.toString(), headers: written(reply.headers) };
  }

  /** What the request's headers become. */
  get requestHeaders(): Record<string, string> {
    return written(this.requestMutation);
  }

  get removed(): readonly string[] {
    return this.requestMutation?.remove_headers ?? [];
  }

  get responseHeaders(): Record<string, string> {
    return written(this.sent.find((sent) => sent.response_headers)?.response_headers?.response.header_mutation);
  }

  get metadata(): JsonFields {
    return decodeStruct(this.sent.find((sent) => sent.dynamic_metadata)?.dynamic_metadata ?? {});
  }

  /** Of the last message. */
  get lastMetadata(): JsonFields {
    return decodeStruct(this.sent.at(-1)?.dynamic_metadata ?? {});
  }

  /** Pieces of the body in one direction: how long each is, and whether it is the last. */
  pieces(part: 'request_body' | 'response_body'): readonly { readonly bytes: Buffer; readonly isLast: boolean }[] {
    return this.sent.flatMap((sent) => {
      const piece = sent[part]?.response.body_mutation.streamed_response;
      return piece === undefined ? [] : [{ bytes: piece.body, isLast: piece.end_of_stream }];
    });
  }

  body(part: 'request_body' | 'response_body'): string {
    return Buffer.concat(this.pieces(part).map(({ bytes }) => bytes)).toString();
  }

  /** Which part each message has, in their order. */
  get kinds(): readonly string[] {
    return this.sent.map((sent) => Object.keys(sent).filter((key) => key !== 'dynamic_metadata')[0] ?? '');
  }

  private get requestMutation(): HeaderMutation | undefined {
    return this.sent.find((sent) => sent.request_headers)?.request_headers?.response.header_mutation;
  }
}

export function headerMap(headers: Readonly<Record<string, string>>): HeaderMap {
  return { headers: Object.entries(headers).map(([key, value]) => ({ key, raw_value: Buffer.from(value) })) };
}

export function requestHeaders(headers: Readonly<Record<string, string>>, isWhole = false): ProcessingRequest {
  return { request_headers: { headers: headerMap(headers), end_of_stream: isWhole } };
}

export function requestBody(body: string | Buffer, isLast: boolean, metadata?: Metadata): ProcessingRequest {
  const context = metadata === undefined ? {} : { metadata_context: metadata };
  return { request_body: { body: Buffer.from(body), end_of_stream: isLast }, ...context };
}

export function responseHeaders(headers: Readonly<Record<string, string>>, isWhole = false): ProcessingRequest {
  return { response_headers: { headers: headerMap({ ':status': '200', ...headers }), end_of_stream: isWhole } };
}

export function responseBody(body: string | Buffer, isLast = false): ProcessingRequest {
  return { response_body: { body: Buffer.from(body), end_of_stream: isLast } };
}

export function subset(list: JsonData): Metadata {
  return {
    filter_metadata: { 'envoy.lb.subset_hint': encodeStruct({ 'x-gateway-destination-endpoint-subset': list }) },
  };
}

export function written(mutation: HeaderMutation | undefined): Record<string, string> {
  const set = mutation?.set_headers ?? [];
  return Object.fromEntries(set.map(({ header }) => [header.key, header.raw_value.toString()]));
}

export const CHAT = '{"model":"m","messages":[{"role":"user","content":"hello"}]}';
export const STREAMED_CHAT = '{"model":"m","stream":true,"messages":[]}';
