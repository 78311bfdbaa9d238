import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import type { ClientDuplexStream, ServiceClientConstructor } from '@grpc/grpc-js';
import { EXT_PROC_SERVICE, loadProtos } from '#ext-proc';
import type { ProcessingRequest, ProcessingResponse } from '#ext-proc';

/** A message as it is read: what is empty, zero or false is not on the wire. */
export type Received<Message> = Message extends Buffer
  ? Buffer
  : Message extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : Message extends object
      ? { readonly [Field in keyof Message]?: Received<Message[Field]> }
      : Message;

/** One HTTP request and its answer, told piece by piece, and what is to become of them. */
export type ExtProcCall = ClientDuplexStream<ProcessingRequest, Received<ProcessingResponse>>;

/** Milliseconds between two tries to reach a picker that is not there; calls fail meanwhile. */
const RECONNECT_MS = 200;

/**
 * An endpoint picker as a proxy has it: a connection in plain text, over which it is asked once for each request. It is made with the first
 * request, so that a picker may be started later than its clients.
 */
export class ExtProcClient {
  private readonly client: InstanceType<ServiceClientConstructor>;

  /** @param address `host:port` */
  constructor(
    readonly address: string,
    Client = extProcClientClass(),
  ) {
    this.client = new Client(address, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
    });
  }

  open(): ExtProcCall {
    const process: unknown = this.client['Process'];
    if (typeof process !== 'function') throw new Error(`${EXT_PROC_SERVICE} has no method Process`);
    // the definition has it stream both ways
    return process.call(this.client) as ExtProcCall;
  }

  close(): void {
    this.client.close();
  }
}

/** Reads the definitions, which takes some 100 ms: once for all clients. */
export function extProcClientClass(): ServiceClientConstructor {
  return makeGenericClientConstructor(loadProtos().externalProcessor, EXT_PROC_SERVICE);
}
