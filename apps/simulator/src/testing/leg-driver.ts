import { startSimulation } from '../cluster.ts';
import type { Simulation } from '../cluster.ts';
import type { JsonObject } from '../control/json-value.ts';
import type { SimulatorInput, WorkerRole } from '../simulator.config.ts';

/** What a worker answered. */
export interface LegReply {
  readonly status: number;
  readonly json: JsonObject;
  readonly text: string;
}

export const RED_PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image_url', image_url: { url: RED_PNG } };

export const CHAT = { model: 'm', messages: [{ role: 'user', content: 'how does a prompt get from here to there' }] };
export const IMAGE_CHAT = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'what is this' }, IMAGE] }],
};
export const ENCODE = {
  model: 'm',
  messages: [{ role: 'user', content: [IMAGE] }],
  max_tokens: 1,
  stream: false,
};
/** As a leg that makes one token has it, where a sidecar adds every limit. */
export const CAPPED = { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1, stream: false };

/** Workers that are called as a decode sidecar would call them, by a test. */
export class LegDriver {
  private constructor(readonly simulation: Simulation) {}

  static async start(sidecar: NonNullable<SimulatorInput['sidecar']>): Promise<LegDriver> {
    const workers = (['encode', 'prefill', 'decode'] as const).map((role) => ({ role }));
    return new LegDriver(await startSimulation({ sidecar, workers }));
  }

  /** A call of the request `id`. @param body or its text, where digits matter */
  async send(
    role: WorkerRole,
    id: string,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
    path = '/v1/chat/completions',
  ): Promise<LegReply> {
    const url = this.simulation.workers.find((worker) => worker.role === role)?.url ?? '';
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type') === 'application/json';
    return { status: answer.status, text, json: isJson ? (JSON.parse(text) as JsonObject) : {} }; // the simulator's own words
  }

  /** Whether the latest decode had its prompt from a prefill. */
  get wasRemote(): unknown {
    return this.simulation.requests.phase('decode').at(-1)?.facts['remote'];
  }

  close(): Promise<void> {
    return this.simulation.close();
  }
}

/** What a worker found wrong; undefined where nothing was. */
export function errorOf({ json }: LegReply): unknown {
  return (json['error'] as JsonObject | undefined)?.['message']; // the simulator's own words
}
