import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { pickerConfig } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import type { PickerProcess } from './support/picker.process.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import { openChat, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const HELD = 20;
/** Requests that are on their way at any time, beside the streams that are held. */
const LOAD = 4;
const DRAIN = ['--drain-timeout=2s', '--health-checking'];

const event = (number: number): string => `data: {"choices":[{"index":0,"delta":{"content":"${number}"}}]}\n\n`;
const DONE = 'data: [DONE]\n\n';
const chat = (content: string): object => ({ model: 'm', stream: true, messages: [{ role: 'user', content }] });

withEnvoy('a picker that is replaced behind a real Envoy', () => {
  let worker: ScriptedWorker;
  let stack: PickerStack;
  const held: ServerResponse[] = [];
  beforeAll(async () => {
    worker = await ScriptedWorker.start('decode-1', 'decode', (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(0));
      if (request.body.includes('"hold"')) held.push(response);
      else response.end(DONE);
    });
  });
  afterEach(() => stack.stop());
  afterAll(() => worker.close());

  async function start(instances: number): Promise<void> {
    held.length = 0;
    stack = await startPickerStack({
      workers: [worker],
      picker: (endpoints) => ({ name: 'decode', config: pickerConfig(endpoints, ['decode']), flags: DRAIN }),
      instances,
    });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  }

  const requestsOf = (picker: PickerProcess): Promise<number> => metricOf(picker, 'llm_d_epp_request_total');

  async function openHeld(): Promise<{ text: string; how: string | undefined }[]> {
    const answers = await Promise.all(Array.from({ length: HELD }, () => openChat(stack.url, chat('hold'))));
    return answers.map((answer) => {
      const found: { text: string; how: string | undefined } = { text: '', how: undefined };
      answer.setEncoding('utf8').on('data', (text: string) => {
        found.text += text;
      });
      answer.once('end', () => (found.how = 'whole')).once('close', () => (found.how ??= 'broken'));
      return found;
    });
  }

  /** Has every held stream carry one more event. */
  async function carry(streams: readonly { text: string }[], number: number): Promise<void> {
    for (const response of held) response.write(event(number));
    await eventually(() => streams.every(({ text }) => text.endsWith(event(number))));
  }

  async function end(streams: readonly { text: string; how: string | undefined }[], events: number): Promise<void> {
    for (const response of held) response.end(DONE);
    await eventually(() => streams.every(({ how }) => how !== undefined));
    const whole = Array.from({ length: events }, (_, number) => event(number)).join('') + DONE;
    expect(streams).toEqual(streams.map(() => ({ text: whole, how: 'whole' })));
  }

  /** SIGTERM, and done when it takes no more connections, streams that it still has or not. */
  async function drained(picker: PickerProcess): Promise<void> {
    if (!picker.output.includes('SIGTERM')) picker.signal('SIGTERM');
    await eventually(async () => !(await picker.takesConnections()));
  }

  it('with another one beside it: no stream fails, and no request', async () => {
    await start(2);
    const { pickers } = stack;
    // Envoy takes each of the two as soon as its health is known
    await eventually(async () => {
      await readText(await openChat(stack.url, chat('which')));
      return (await Promise.all(pickers.map(requestsOf))).every((count) => count > 0);
    });
    const before = await Promise.all(pickers.map(requestsOf));
    const streams = await openHeld();
    const shares = (await Promise.all(pickers.map(requestsOf))).map((count, i) => count - (before[i] ?? 0));
    expect([shares.length, shares.includes(0)]).toEqual([2, false]);
    const old = [...pickers];
    let events = 1;
    const answers = await underLoad(stack.url, async () => {
      for (const picker of old) {
        await drained(picker);
        await carry(streams, events++);
        const next = await stack.replace(picker);
        // it is sent requests before the other one goes
        await eventually(async () => (await requestsOf(next)) > 0);
        await carry(streams, events++);
      }
    });
    await end(streams, events);
    expect(await Promise.all(old.map(({ ended }) => ended))).toEqual(old.map(() => ({ code: 0, signal: null })));
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter((answer) => answer !== `200 ${event(0)}${DONE}`)).toEqual([]);
  });

  it('on its own: no stream fails, and requests are served until it goes, and 503 until the next one is there', async () => {
    await start(1);
    const { picker } = stack;
    const streams = await openHeld();
    picker.signal('SIGTERM');
    await picker.until(() => picker.output.includes('draining'));
    expect(await once(stack.url)).toBe(`200 ${event(0)}${DONE}`);
    await drained(picker);
    await carry(streams, 1);
    const received = worker.requests.length;
    expect((await once(stack.url)).slice(0, 3)).toBe('503');
    expect(worker.requests).toHaveLength(received);
    await stack.replace(picker);
    await eventually(async () => (await once(stack.url)).startsWith('200'));
    await carry(streams, 2);
    await end(streams, 3);
    expect(await picker.ended).toEqual({ code: 0, signal: null });
  });
});

/** Status and body of a short request. */
async function once(url: string): Promise<string> {
  const answer = await openChat(url, chat('short'));
  return `${answer.statusCode ?? 0} ${await readText(answer)}`;
}

/** Asks on and on, several at a time, while the work runs. @returns what was answered */
async function underLoad(url: string, work: () => Promise<void>): Promise<readonly string[]> {
  let isOn = true;
  const answers: string[] = [];
  const client = async (): Promise<void> => {
    while (isOn) {
      answers.push(await once(url).catch((error: unknown) => String(error)));
    }
  };
  const clients = Array.from({ length: LOAD }, client);
  try {
    await work();
  } finally {
    isOn = false;
    await Promise.all(clients);
  }
  return answers;
}
