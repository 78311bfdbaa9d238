import { once, EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { AsyncWorkerMetrics } from './async-worker/async-worker-metrics.ts';
import { QueueGauges } from './queue-gauges.ts';
import { QueueWatch } from './queue-watch.ts';
import type { QueueSource } from './queue-watch.ts';
import { samples } from './request-telemetry.fixture.ts';

const later = cleanup();

const FIGURE = {
  depth: 3,
  leased: 2,
  retrying: 1,
  deadLetters: 4,
  oldestDeadline: undefined,
  oldestCreated: undefined,
};

/** Watches quickly. `round` is done with the next round, and says whether all of it came off. */
function watched(source: QueueSource, queues: readonly string[] = ['a', 'b']) {
  const metrics = new AsyncWorkerMetrics();
  const { on } = metrics;
  const rounds = new EventEmitter();
  const gauges = new QueueGauges({ depth: on.queueDepth, oldest: on.queueOldest, deadline: on.queueDeadline });
  const watch = QueueWatch.start(source, queues, gauges, {
    told: (isUp) => rounds.emit('round', isUp),
    period: 1,
  });
  later(() => {
    watch.close();
  });
  return {
    watch,
    depths: () => samples(metrics, 'llm_d_async_worker_queue_depth'),
    round: async (): Promise<unknown> => (await once(rounds, 'round'))[0] as unknown,
  };
}

describe('QueueWatch', () => {
  it('shows every queue, and again and again', async () => {
    let depth = 0;
    const { round, depths } = watched({ figures: (queue) => Promise.resolve({ ...FIGURE, queue, depth: ++depth }) });
    expect(await round()).toBe(true);
    expect(await depths()).toEqual({ 'queue="a"': 1, 'queue="b"': 2 });
    await round();
    expect(await depths()).toEqual({ 'queue="a"': 3, 'queue="b"': 4 });
  });

  it('shows no number of a queue that cannot be looked at, until it can again', async () => {
    let isAway = false;
    const { round, depths } = watched({
      figures: (queue) =>
        isAway && queue === 'b' ? Promise.reject(new Error('x')) : Promise.resolve({ ...FIGURE, queue }),
    });
    expect(await round()).toBe(true);
    isAway = true;
    expect(await round()).toBe(false);
    expect(await depths()).toEqual({ 'queue="a"': 3 });
    isAway = false;
    expect(await round()).toBe(true);
    expect(await depths()).toEqual({ 'queue="a"': 3, 'queue="b"': 3 });
  });

  it('asks for one queue at a time', async () => {
    let [asked, most] = [0, 0];
    const { round } = watched({
      figures: async (queue) => {
        most = Math.max(most, ++asked);
        await new Promise(setImmediate);
        asked--;
        return { ...FIGURE, queue };
      },
    });
    await round();
    await round();
    expect(most).toBe(1);
  });

  it('shows nothing that comes after its end', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const { watch, depths } = watched({ figures: (queue) => asked.then(() => ({ ...FIGURE, queue })) }, ['a']);
    watch.close();
    answer();
    await new Promise(setImmediate);
    expect(await depths()).toEqual({});
  });
});

describe('QueueGauges', () => {
  const NOW = 1_000;

  function shown(changes: object): Promise<readonly Record<string, number>[]> {
    const metrics = new AsyncWorkerMetrics();
    const { on } = metrics;
    const gauges = new QueueGauges({ depth: on.queueDepth, oldest: on.queueOldest, deadline: on.queueDeadline });
    gauges.show({ ...FIGURE, queue: 'q', oldestCreated: NOW - 9, oldestDeadline: NOW + 9 }, NOW);
    gauges.show({ ...FIGURE, queue: 'q', ...changes }, NOW);
    return Promise.all(
      ['oldest', 'deadline'].map((name) => samples(metrics, `llm_d_async_worker_queue_${name}_seconds`)),
    );
  }

  it.each([
    { what: 'what waits', changes: { oldestCreated: NOW - 30, oldestDeadline: NOW + 5 }, expected: [30, 5] },
    {
      what: 'a deadline that is over',
      changes: { oldestCreated: NOW - 30, oldestDeadline: NOW - 5 },
      expected: [30, -5],
    },
    { what: 'a clock that is ahead', changes: { oldestCreated: NOW + 2, oldestDeadline: NOW + 5 }, expected: [0, 5] },
    { what: 'an empty queue', changes: {}, expected: [undefined, undefined] },
  ])('shows times of $what', async ({ changes, expected }) => {
    expect((await shown(changes)).map((all) => all['queue="q"'])).toEqual(expected);
  });
});
