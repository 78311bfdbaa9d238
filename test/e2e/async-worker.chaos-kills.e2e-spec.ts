import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RawUpstream, json } from '#testing';
import type { Handler } from '#testing';
import { CommandRelay } from './support/command.relay.ts';
import { statusOf } from './support/coordinator.process.ts';
import type { AsyncWorkerProcess } from './support/async-worker.process.ts';
import { eventually } from './support/eventually.ts';
import { QueueBench, idOf } from './support/queue-bench.ts';

jest.setTimeout(120_000);

const IDS = Array.from({ length: 10 }, (_, index) => `job-${index + 1}`);
/** All of them at a time, and a lease that is soon over. */
const WORKER = { concurrency: IDS.length, lease: '2s' };

// field-reports.md 139: messages were popped before the work was done, and a kill lost them
describe('10 accepted requests, of a worker that is killed beside another one', () => {
  let bench: QueueBench;
  const closing: (() => Promise<void>)[] = [];
  const bodies = new Map<string, string[]>();

  beforeAll(async () => {
    bench = await QueueBench.start(() => undefined);
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    bodies.clear();
    bench.served.requests.length = 0;
    await bench.client.flushAll();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('have one result each, where Redis has given them to it and it is killed before it knows', async () => {
    const relay = await CommandRelay.open(bench.redis.port);
    closing.push(() => relay.close());
    relay.hold('replies', '"request_token"');
    await submitAll();
    const doomed = await bench.launchedWorker({ worker: WORKER, redisUrl: `redis://127.0.0.1:${relay.port}` });
    closing.push(() => doomed.crash());
    await eventually(async () => (await bench.held()).leased === IDS.length);
    bench.served.handler = answer;
    await other();
    await doomed.crash();
    await expectOneResultEach();
    expect(calls()).toEqual(IDS.map((id) => [id, 1]));
  });

  it('have one result each, where it is killed before it has sent any of them', async () => {
    // a connection that is never made whole: the request stays where it is
    const mute = await RawUpstream.start(() => new Promise<never>(() => undefined));
    closing.push(() => mute.close());
    const coordinatorUrl = mute.url.replace('http:', 'https:');
    const doomed = await holder({ coordinatorUrl, coordinator: { connect_timeout: '60s' } });
    await eventually(() => mute.peers.length > 0);
    bench.served.handler = answer;
    await other();
    await doomed.crash();
    await expectOneResultEach();
    expect(calls()).toEqual(IDS.map((id) => [id, 1]));
  });

  it('have one result each, where it is killed while they are served', async () => {
    bench.served.handler = () => undefined;
    const doomed = await holder();
    await bench.served.received(IDS.length);
    bench.served.handler = answer;
    await other();
    await doomed.crash();
    await expectOneResultEach();
    expect(calls()).toEqual(IDS.map((id) => [id, 2]));
  });

  it('have one result each, where it has their answers and is killed before it has written them', async () => {
    const held: (() => void)[] = [];
    bench.served.handler = (request, response) => {
      held.push(() => void answer(request, response));
    };
    const relay = await CommandRelay.open(bench.redis.port);
    closing.push(() => relay.close());
    const doomed = await holder({ redisUrl: `redis://127.0.0.1:${relay.port}` });
    await bench.served.received(IDS.length);
    relay.hold('commands');
    for (const release of held) release();
    await eventually(() => relay.kept.split('"status_code":200').length > IDS.length);
    bench.served.handler = answer;
    await other();
    await doomed.crash();
    await expectOneResultEach();
    expect(calls()).toEqual(IDS.map((id) => [id, 2]));
  });

  it('have one result each, where it is killed while it drains', async () => {
    bench.served.handler = () => undefined;
    const doomed = await holder();
    await bench.served.received(IDS.length);
    doomed.signal('SIGTERM');
    await eventually(async () => (await statusOf(`${doomed.url}/readyz`)) !== 200);
    bench.served.handler = answer;
    await other();
    await doomed.crash();
    await expectOneResultEach();
    expect(calls()).toEqual(IDS.map((id) => [id, 2]));
  });

  it('have the results of the other, where it is stopped for longer than its lease and goes on', async () => {
    const held: (() => void)[] = [];
    bench.served.handler = (request, response) => {
      held.push(() => {
        json(response, { by: 'the one that was stopped' });
      });
    };
    const stopped = await holder();
    await bench.served.received(IDS.length);
    stopped.signal('SIGSTOP');
    bench.served.handler = answer;
    await other();
    await expectOneResultEach();
    const before = await results();
    for (const release of held) release();
    stopped.signal('SIGCONT');
    // it has nothing left to do when it says so
    await stopped.stop();
    expect(await results()).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('stopped');
  });

  async function submitAll(): Promise<void> {
    for (const id of IDS) expect(await bench.submit({ id })).toMatchObject({ status: 202 });
  }

  /** A worker that holds all of them. */
  async function holder(changes: Parameters<QueueBench['worker']>[0] = {}): Promise<AsyncWorkerProcess> {
    const worker = await bench.worker({ worker: WORKER, ...changes });
    closing.push(() => worker.crash());
    await submitAll();
    await eventually(async () => (await bench.held()).leased === IDS.length);
    return worker;
  }

  /** Another one, which goes with the test. */
  async function other(): Promise<void> {
    const worker = await bench.worker({ worker: WORKER });
    closing.push(() => worker.crash());
  }

  const answer: Handler = (request, response) => {
    const id = idOf(request);
    const body = JSON.stringify({ id, call: bench.served.requests.length });
    bodies.set(id, [...(bodies.get(id) ?? []), body]);
    json(response, body);
  };

  /** How often each was sent. */
  function calls(): (readonly [string, number])[] {
    return IDS.map((id) => [id, bench.served.requests.filter((request) => idOf(request) === id).length]);
  }

  function results(): Promise<unknown[]> {
    return Promise.all(IDS.map((id) => bench.mailbox(id)));
  }

  async function expectOneResultEach(): Promise<void> {
    await eventually(async () => (await results()).every((found) => Array.isArray(found) && found.length > 0));
    for (const id of IDS) {
      const [result, ...others] = await bench.mailbox(id);
      expect(others).toEqual([]);
      expect(result).toMatchObject({ id: `default:${id}`, status_code: 200 });
      expect(bodies.get(id)).toContain(result?.payload);
      expect(await bench.about('GET', id)).toEqual({ status: 200, text: result?.payload });
    }
    await eventually(async () => (await bench.unfinished()).length === 0);
  }
});
