import { Server } from '@grpc/grpc-js';
import type { ServerCredentials, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** A service with what serves it; a method that is not there answers UNIMPLEMENTED. */
export interface ServedService {
  readonly definition: ServiceDefinition;
  readonly methods: UntypedServiceImplementation;
}

export interface ListenerSettings {
  /** 0 for one that is free. */
  readonly port: number;
  readonly services: readonly ServedService[];
  readonly credentials: ServerCredentials;
  /** Bytes of one message; undefined: grpc's own 4 MiB, and no limit. */
  readonly maxReceived?: number | undefined;
  readonly maxSent?: number | undefined;
}

/** grpc's own, said here so that it is ours to know. */
const MAX_RECEIVED = 4 * 1024 * 1024;
const NO_LIMIT = -1;
/** Streams that a peer may reset at once, and in a second: more than a processor can be asked for. */
const RESETS = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 };

/** A gRPC server on a port of all addresses. It takes gzip and deflate, as grpc-js does of itself. */
export class GrpcListener {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @throws Error that names the port when it cannot be bound */
  static async open({ port, services, credentials, maxReceived, maxSent }: ListenerSettings): Promise<GrpcListener> {
    const server = new Server({
      'grpc.max_receive_message_length': maxReceived ?? MAX_RECEIVED,
      'grpc.max_send_message_length': maxSent ?? NO_LIMIT,
    });
    allowResets(server);
    for (const { definition, methods } of services) server.addService(definition, methods);
    const bound = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`[::]:${port}`, credentials, (error, number) => {
        if (error === null) resolve(number);
        else reject(new Error(`cannot listen on port ${port}`, { cause: error }));
      });
    });
    return new GrpcListener(server, bound);
  }

  /** Takes no new calls; done when those that run have ended. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.tryShutdown(() => {
        resolve();
      });
    });
  }

  /** Breaks off whatever runs. */
  kill(): void {
    this.server.forceShutdown();
  }
}

/**
 * Envoy ends the stream of every request with a reset. Node takes a thousand of them and 33 a second for an attack, and closes the
 * connection with all streams on it; grpc-js has no option for what it hands to `node:http2`.
 */
function allowResets(server: Server): void {
  const options: unknown = Reflect.get(server, 'commonServerOptions');
  if (typeof options !== 'object' || options === null) throw new Error('grpc-js keeps its HTTP/2 options elsewhere');
  Object.assign(options, RESETS);
}
