import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import { startSimulation } from '../cluster.ts';
import type { Simulation } from '../cluster.ts';
import { ScriptedPicker, sendsTo } from './scripted-picker.ts';
import type { ScriptedStream } from './scripted-picker.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface CallOptions {
  readonly method?: Dispatcher.HttpMethod;
  readonly path?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A development gateway, the picker that it asks, and one worker that answers as a test says. */
export class PickedGateway {
  handle: Handler = serve;

  private constructor(
    readonly picker: ScriptedPicker,
    readonly simulation: Simulation,
    private readonly worker: Server,
    /** `host:port` of the worker. */
    readonly destination: string,
  ) {
    worker.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.handle(incoming, response);
    });
  }

  /** @param sidecars whether the picker is asked about every call */
  static async start(sidecars = false): Promise<PickedGateway> {
    const worker = createServer().listen(0, '127.0.0.1');
    await once(worker, 'listening');
    const picker = await ScriptedPicker.start(() => undefined);
    const simulation = await startSimulation({ gateway: { picker: picker.address, sidecars } });
    // a server on a port has an address object
    const { port } = worker.address() as AddressInfo;
    return new PickedGateway(picker, simulation, worker, `127.0.0.1:${port}`);
  }

  /** As at the start: whatever comes goes to the worker, which answers `served`. */
  reset(): void {
    this.picker.script = sendsTo(this.destination);
    this.picker.streams.length = 0;
    this.simulation.requests.clear();
    this.handle = serve;
  }

  get url(): string {
    return this.simulation.gateway?.url ?? '';
  }

  /** The stream of the only call since the last reset. */
  get stream(): ScriptedStream {
    const [stream, ...others] = this.picker.streams;
    if (stream === undefined || others.length > 0) throw new Error(`${this.picker.streams.length} streams`);
    return stream;
  }

  /** A call of the decode phase. */
  call({ path = '/v1/completions', method = 'POST', body = '{"a":1}', headers = {}, signal }: CallOptions = {}) {
    return request(`${this.url}${path}`, {
      method,
      body: method === 'POST' ? body : null,
      headers: { 'EPP-Profile': 'decode', ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async close(): Promise<void> {
    await this.simulation.close();
    this.picker.close();
    this.worker.closeAllConnections();
    this.worker.close();
  }
}

function serve(incoming: IncomingMessage, response: ServerResponse): void {
  incoming.resume().once('end', () => response.end('served'));
}
