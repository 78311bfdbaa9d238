import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientResponse, PipelineRequest } from '#pipeline';
import { FakeUpstream, json } from '#testing';
import type { Handler, RecordedRequest } from '#testing';
import { StepsBench } from '../steps.fixture.ts';
import type { StepsBenchOptions } from '../steps.fixture.ts';
import { PrefillDecodeStep, prefillDecodeParams } from './prefill-decode.step.ts';

/** The three calls of the step. */
export type Leg = 'reserve' | 'prefill' | 'decode';

export function legOf({ headers }: RecordedRequest): Leg {
  if (headers['prefer'] !== undefined) return 'reserve';
  return headers['epp-profile'] === 'prefill' ? 'prefill' : 'decode';
}

/** The endpoint picker's answer to a reservation. */
export function reserved(response: ServerResponse, endpoint = '10.0.0.7:8000'): void {
  response.writeHead(204, { 'x-llm-d-reserved-host-port': endpoint, 'preference-applied': 'reserve-endpoint' }).end();
}

/** Answers with that JSON text. */
export const answering =
  (status: number, body = '{}'): Handler =>
  (_, response) => {
    json(response, body, status);
  };

export const silent: Handler = () => undefined;

/** For specs: the step in front of a gateway whose three answers a test chooses. */
export class PairBench {
  private readonly answers: Partial<Record<Leg, Handler>> = {};

  private constructor(
    readonly gateway: FakeUpstream,
    readonly steps: StepsBench,
  ) {}

  static async start(options: StepsBenchOptions = {}): Promise<PairBench> {
    const gateway = await FakeUpstream.start(silent);
    const steps = await StepsBench.start(gateway.url, {
      ...options,
      pipeline: { kv_connector: 'kv-sglang', ...options.pipeline },
    });
    const bench = new PairBench(gateway, steps);
    bench.on({
      reserve: (_, response) => {
        reserved(response);
      },
      prefill: answering(200),
      decode: answering(200, '{"id":"decoded"}'),
    });
    gateway.handler = (request, response) => bench.answers[legOf(request)]?.(request, response);
    return bench;
  }

  /** From here on the calls are answered so; what is not said stays. */
  on(answers: Partial<Record<Leg, Handler>>): void {
    Object.assign(this.answers, answers);
  }

  /** The head of what the client gets. */
  async run(request: PipelineRequest, params: object = {}): Promise<ClientResponse> {
    const outcome = await this.steps.get(PrefillDecodeStep).execute(request, prefillDecodeParams.parse(params));
    if (outcome.kind !== 'respond') throw new Error('prefill-decode answers the client');
    return outcome.response;
  }

  /** The calls that came in, sorted into the order reserve, prefill, decode. */
  get legs(): readonly Leg[] {
    const order: readonly Leg[] = ['reserve', 'prefill', 'decode'];
    return this.gateway.requests.map(legOf).toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  }

  /** The one call of a leg. */
  leg(leg: Leg): RecordedRequest {
    const [call, ...more] = this.gateway.requests.filter((request) => legOf(request) === leg);
    if (call === undefined || more.length > 0) throw new Error(`there is not one call to ${leg}`);
    return call;
  }

  body(leg: Leg): string {
    return this.leg(leg).body.toString();
  }

  /** Done when so many warnings and errors were logged. */
  async complained(count: number): Promise<void> {
    while (this.steps.complaints.length < count) await nextTurn();
  }

  async close(): Promise<void> {
    await this.steps.close();
    await this.gateway.close();
  }
}
