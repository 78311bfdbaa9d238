import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import { loadProtos } from '#ext-proc';
import type {
  BodyReply,
  HeaderMap,
  HeaderMutation,
  HeadersReply,
  ProcessingRequest,
  ProcessingResponse,
} from '#ext-proc';

/** One exchange as a picker has it. */
export interface ScriptedStream {
  readonly received: ProcessingRequest[];
  /** Resolves when the proxy has cancelled it. */
  readonly cancelled: Promise<undefined>;
  reply(...messages: readonly ProcessingResponse[]): void;
  end(): void;
  fail(code: StatusObject['code']): void;
}

/** What is done at each message. */
export type Script = (message: ProcessingRequest, stream: ScriptedStream) => void;

const { externalProcessor } = loadProtos();

/** An endpoint picker on a free port that does as its script says. */
export class ScriptedPicker {
  readonly streams: ScriptedStream[] = [];
  private readonly server = new Server();

  private constructor(public script: Script) {}

  /** @param at `host:port`, a free port of loopback where it is not given */
  static async start(script: Script, at = '127.0.0.1:0'): Promise<ScriptedPicker & { readonly address: string }> {
    const picker = new ScriptedPicker(script);
    picker.server.addService(externalProcessor, {
      Process: (call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>) => {
        picker.serve(call);
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      picker.server.bindAsync(at, ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    return Object.assign(picker, { address: `127.0.0.1:${port}` });
  }

  close(): void {
    this.server.forceShutdown();
  }

  private serve(call: ServerDuplexStream<ProcessingRequest, ProcessingResponse>): void {
    const cancelled = Promise.withResolvers<undefined>();
    const stream: ScriptedStream = {
      received: [],
      cancelled: cancelled.promise,
      reply: (...messages) => {
        const hasRoom = messages.map((message) => call.write(message)).every(Boolean);
        if (hasRoom) return;
        call.pause();
        call.once('drain', () => call.resume());
      },
      end: () => {
        call.end();
      },
      // this is how grpc-js is told a status that is not OK
      fail: (code) => void call.emit('error', { code, details: 'as the script says' }),
    };
    this.streams.push(stream);
    call.on('cancelled', () => {
      cancelled.resolve(undefined);
    });
    call.on('data', (message: ProcessingRequest) => {
      stream.received.push(message);
      this.script(message, stream);
    });
    call.on('end', () => call.end());
  }
}

/** What a picker makes of a call; what is not given goes on as it came. */
export interface Changes {
  readonly request?: Readonly<Record<string, string>>;
  /** Names of request headers. */
  readonly removed?: readonly string[];
  readonly body?: string;
}

/** Sends every call to one endpoint once its body is whole, and every answer on as it comes. */
export function sendsTo(destination: string, { request = {}, removed = [], body }: Changes = {}): Script {
  const head = {
    request_headers: headersReply({ 'x-gateway-destination-endpoint': destination, ...request }, removed),
  };
  return (message, stream) => {
    if (message.request_headers?.end_of_stream === true) stream.reply(head);
    if (message.request_body?.end_of_stream === true) {
      stream.reply(head, { request_body: bodyReply(body === undefined ? wholeBody(stream) : Buffer.from(body), true) });
    }
    relayAnswer(message, stream);
  };
}

function relayAnswer(message: ProcessingRequest, stream: ScriptedStream): void {
  const { response_headers: head, response_body: piece, response_trailers: trailers } = message;
  if (head !== undefined) stream.reply({ response_headers: headersReply({}) });
  if (piece !== undefined) stream.reply({ response_body: bodyReply(piece.body, piece.end_of_stream) });
  if (trailers !== undefined) stream.reply({ response_trailers: {} });
}

/** The request's body as it was told. */
export function wholeBody({ received }: ScriptedStream): Buffer {
  return Buffer.concat(received.flatMap(({ request_body: piece }) => piece?.body ?? []));
}

/** Headers by name, of a name that comes several times the last one. */
export function headersIn(map: HeaderMap | undefined): Record<string, string> {
  return Object.fromEntries((map?.headers ?? []).map(({ key, raw_value: raw }) => [key ?? '', raw?.toString() ?? '']));
}

export function headersReply(set: Readonly<Record<string, string>>, removed: readonly string[] = []): HeadersReply {
  return { response: { header_mutation: mutation(set, removed) } };
}

function bodyReply(body: Buffer = Buffer.alloc(0), isLast = false): BodyReply {
  return { response: { body_mutation: { streamed_response: { body, end_of_stream: isLast } } } };
}

export function mutation(set: Readonly<Record<string, string>>, removed: readonly string[] = []): HeaderMutation {
  return {
    set_headers: Object.entries(set).map(([key, value]) => ({
      header: { key, raw_value: Buffer.from(value) },
      append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
    })),
    remove_headers: removed,
  };
}
