import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RecordedRequest } from '#testing';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { pickerConfig } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import { residentMiB } from './support/stack.ts';
import { openChat, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

/** Streams at once; each is a connection at either end, all of which are this process's. */
const STREAMS = 4000;
const ROUNDS = 3;
/** Opened together, as clients would not all come in one moment. */
const BATCH = 200;
/** Opened and ended beforehand, so that what the code itself takes is in memory. */
const WARMING = 100;
/** Streams that are written to together, and the milliseconds until the next ones. */
const [PACE, PACE_MS] = [40, 5];
/** Streams that are held while so many requests come and go, one after another for each of the clients. */
const [HELD, SHORT, CLIENTS] = [20, 2000, 20];
const SHORT_USER = 'short';
/** Memory that a stream may take in the picker while it is open, in KiB. */
const KIB_A_STREAM = 64;

const event = (round: number): string => `data: {"choices":[{"index":0,"delta":{"content":"${round}"}}]}\n\n`;
const DONE = 'data: [DONE]\n\n';

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

withEnvoy('streams through a real Envoy and one picker', () => {
  const held: ServerResponse[] = [];
  let workers: ScriptedWorker[];
  let stack: PickerStack;
  beforeAll(async () => {
    const script = (request: RecordedRequest, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(0));
      if (request.body.includes(SHORT_USER)) response.end(DONE);
      else held.push(response);
    };
    workers = await Promise.all(['decode-1', 'decode-2'].map((name) => ScriptedWorker.start(name, 'decode', script)));
    const picker = (endpoints: string) => ({ name: 'decode', config: pickerConfig(endpoints, ['decode']) });
    stack = await startPickerStack({ workers, picker });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all(workers.map((worker) => worker.close()));
  });

  it(`are all served, ${STREAMS} at once, pass every event on, and cost the picker bounded memory`, async () => {
    for (const answer of await openAll(WARMING)) collected(answer);
    await endAll();
    const idle = residentMiB(stack.picker.pid);
    const answers = await openAll(STREAMS);
    expect(answers.filter(({ statusCode }) => statusCode !== 200).map(({ statusCode }) => statusCode)).toEqual([]);
    expect(await metricOf(stack.picker, 'llm_d_epp_extproc_streams_inflight')).toBe(STREAMS);
    const texts = answers.map(collected);
    for (let round = 1; round <= ROUNDS; round++) {
      await paced(held, (response) => response.write(event(round)));
      await eventually(() => texts.every(({ text }) => text.endsWith(event(round))));
    }
    const perStream = ((residentMiB(stack.picker.pid) - idle) * 1024) / STREAMS;
    const lag = await metricOf(stack.picker, 'nodejs_eventloop_lag_p99_seconds');
    process.stdout.write(`a stream: ${perStream.toFixed(1)} KiB; event loop p99: ${(lag * 1000).toFixed(1)} ms\n`);
    await endAll();
    const whole = Array.from({ length: ROUNDS + 1 }, (_, round) => event(round)).join('') + DONE;
    await eventually(() => texts.every(({ isOver }) => isOver));
    expect(texts.filter(({ text }) => text !== whole)).toEqual([]);
    expect(perStream).toBeLessThan(KIB_A_STREAM);
    await eventually(async () => (await metricOf(stack.picker, 'llm_d_epp_extproc_streams_inflight')) === 0);
  });

  // Envoy resets the stream of each request that is over, and Node's HTTP/2 server ends a connection, with every stream on it, that has
  // had more than 1000 resets and 33 a second (streamResetBurst and streamResetRate, which grpc-js leaves as they are)
  it('outlive thousands of requests that come and go beside them', async () => {
    const answers = (await openAll(HELD)).map(collected);
    const statuses = new Set<string>();
    let asked = 0;
    const client = async (): Promise<void> => {
      while (asked++ < SHORT && statuses.size < 2) statuses.add(await short());
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const lost = answers.filter(({ isOver }) => isOver).length;
    await endAll();
    expect({ statuses: [...statuses], lost }).toEqual({ statuses: ['200'], lost: 0 });
  });

  /** The status of a request that is answered at once; `broken` where it was not answered to its end. */
  async function short(): Promise<string> {
    try {
      const answer = await openChat(stack.url, { ...chat(0), user: SHORT_USER });
      await readText(answer);
      return String(answer.statusCode);
    } catch {
      return 'broken';
    }
  }

  async function openAll(count: number): Promise<IncomingMessage[]> {
    const answers: IncomingMessage[] = [];
    while (answers.length < count) {
      const next = Math.min(BATCH, count - answers.length);
      const opened = Array.from({ length: next }, (_, i) => openChat(stack.url, chat(answers.length + i)));
      answers.push(...(await Promise.all(opened)));
    }
    return answers;
  }

  /** Ends every answer and waits until Envoy has taken the end. */
  async function endAll(): Promise<void> {
    const open = held.splice(0).filter((response) => !response.destroyed);
    const closed = open.map((response) => once(response, 'close'));
    await paced(open, (response) => response.end(DONE));
    await Promise.all(closed);
  }
});

function chat(number: number): object {
  const content = `Stream ${number}: tell me in many plain words how it came about.`;
  return { model: 'm', stream: true, messages: [{ role: 'user', content }] };
}

/** Streams have no common moment at which they send or end. */
async function paced(responses: readonly ServerResponse[], act: (response: ServerResponse) => void): Promise<void> {
  for (const [i, response] of responses.entries()) {
    act(response);
    if (i % PACE === 0) await sleep(PACE_MS);
  }
}

/** What comes of an answer, as it comes. */
function collected(answer: IncomingMessage): { text: string; isOver: boolean } {
  const found = { text: '', isOver: false };
  answer.setEncoding('utf8').on('data', (text: string) => {
    found.text += text;
  });
  answer.once('close', () => {
    found.isOver = true;
  });
  return found;
}
