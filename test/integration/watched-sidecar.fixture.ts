import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { JsonLogger } from '#telemetry';
import { SidecarMetrics, sidecarTelemetry } from '#telemetry/sidecar';
import type { SidecarTelemetry } from '#telemetry/sidecar';
import { json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { PREFILLED, aRunningSidecar, anEngine, portOf, urlOf } from '../../apps/sidecar/src/sidecar.fixture.ts';
import type { SidecarSetting } from '../../apps/sidecar/src/sidecar.fixture.ts';
import type { RunningSidecar } from '../../apps/sidecar/src/start.ts';
import { samples } from '../../libs/telemetry/src/request-telemetry.fixture.ts';
import type { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { until } from './telemetry.fixture.ts';

/** What differs from workers that answer well, with tracing off. */
export interface WatchedSetting extends SidecarSetting {
  /** Without spans: tracing is off. */
  readonly spans?: SpanRecorder | undefined;
  /** Metrics that others write to as well. */
  readonly metrics?: SidecarMetrics | undefined;
  readonly engine?: Handler;
  readonly prefill?: Handler;
  readonly encode?: Handler;
}

/** A request as a test sends it; without a body it is a GET. */
export interface Sent {
  readonly path?: string;
  readonly body?: object | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export const CHAT = '/v1/chat/completions';
/** Found in nothing but content. */
export const SECRET = 'SECRET-PROMPT';
const PREFIX = 'llm_d_disagg_sidecar_';

/** A sidecar in this process with its real telemetry, its workers, and everything that it wrote. */
export class WatchedSidecar {
  private constructor(
    private readonly running: RunningSidecar,
    readonly metrics: SidecarMetrics,
    readonly telemetry: SidecarTelemetry,
    readonly workers: Readonly<Record<'engine' | 'prefill' | 'encode', FakeUpstream>>,
    /** Log lines, in their order. */
    readonly lines: readonly Readonly<Record<string, unknown>>[],
  ) {}

  static async start(watchedSetting: WatchedSetting = {}): Promise<WatchedSidecar> {
    const { spans, metrics = new SidecarMetrics(), engine, prefill, encode, ...setting } = watchedSetting;
    const workers = {
      engine: await anEngine(engine),
      prefill: await anEngine(prefill ?? ((_, response) => json(response, PREFILLED))),
      encode: await anEngine(encode ?? ((_, response) => json(response, '{"ec_transfer_params":{"h":{}}}'))),
    };
    const telemetry = sidecarTelemetry(metrics, spans?.tracer, { kv: 'some-kv', ec: 'some-ec' });
    const running = await aRunningSidecar(workers.engine, {
      ...setting,
      // as the prefill worker is the one that is asked for its engines, where anybody is
      flags: [`--mooncake-bootstrap-port=${portOf(workers.prefill.url)}`, ...(setting.flags ?? [])],
      surroundings: { ...telemetry, ...setting.surroundings },
    });
    const lines: Record<string, unknown>[] = [];
    // the logger writes objects
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    Logger.overrideLogger(new JsonLogger(4, 'test', { write }));
    return new WatchedSidecar(running, metrics, telemetry, workers, lines);
  }

  get url(): string {
    return urlOf(this.running);
  }

  /** The headers by which the endpoint picker names the workers of these stages. */
  named(...stages: readonly ('prefill' | 'encode')[]): Record<string, string> {
    const names = { prefill: 'x-prefiller-host-port', encode: 'x-encoder-hosts-ports' };
    return Object.fromEntries(stages.map((stage) => [names[stage], new URL(this.workers[stage].url).host]));
  }

  /** Sends a request and reads its answer; done when nothing of it is served any more. */
  async send({ path = CHAT, body, headers = {}, signal }: Sent): Promise<{ status: number; text: string }> {
    const init = { headers, ...(signal === undefined ? {} : { signal }) };
    const answer = await fetch(
      this.url + path,
      body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) },
    );
    const text = await answer.text();
    await this.idle();
    return { status: answer.status, text };
  }

  /** Done when nothing is being served any more. */
  async idle(): Promise<void> {
    await until(() => this.running.lifecycle.inFlight === 0);
  }

  /** The samples of a metric by their labels; of a counter those that have counted something. */
  samples(name: string): Promise<Record<string, number>> {
    return samples(this.metrics, PREFIX + name);
  }

  /** The stages that were timed, how often, and the failures that were counted. */
  async stages(): Promise<Record<string, number>> {
    const timed: Record<string, number> = {};
    for (const stage of ['encode', 'prefill', 'decode']) {
      const { '': count = 0 } = await this.samples(`${stage}_duration_seconds_count`);
      if (count > 0) timed[stage] = count;
    }
    return { ...timed, ...(await this.samples('request_errors_total')) };
  }

  /** Done when a stage has failed so, which may be behind the answer of its request. */
  async failed(labels: string): Promise<void> {
    while (!(labels in (await this.samples('request_errors_total')))) await nextTurn();
  }

  async close(): Promise<void> {
    await this.running.shutdown.run('SIGTERM');
    for (const worker of Object.values(this.workers)) await worker.close();
  }
}

/** A chat with so many images. */
export function aChat(more: object = {}, images = 0): object {
  const parts = Array.from({ length: images }, (_, index) => ({
    type: 'image_url',
    image_url: { url: `https://example.com/${index}.png` },
  }));
  return { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: SECRET }, ...parts] }], ...more };
}

/** Answers with a stream: a role, then each text as an event, then the end. */
export function streaming(...texts: readonly string[]): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = [{ role: 'assistant' }, ...texts.map((content) => ({ content }))].map((delta) => ({
      choices: [{ delta }],
    }));
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n');
  };
}

/** Answers with an error of that status. */
export function refusing(status: number): Handler {
  return (_, response) => json(response, { error: { message: SECRET } }, status);
}
