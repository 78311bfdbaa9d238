import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { json } from '#testing';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import { EVENTS, ObservedCluster, sleep } from './telemetry-cluster.fixture.ts';
import type { Phase, PhaseHandler } from './telemetry-cluster.fixture.ts';
import { aChatWithImages, send } from './telemetry-client.fixture.ts';

const PREFIX = 'llm_d_coordinator_';
const PHASES = ['media', 'render', 'probe', 'encode', 'prefill', 'decode'] as const satisfies readonly Phase[];
type PlannedPhase = (typeof PHASES)[number];

/** How a phase goes for one request: after so many milliseconds, as it should, with an error, or not at all. */
const conduct = fc.record({
  delay: fc.nat(15),
  kind: fc.oneof(
    { arbitrary: fc.constant('works' as const), weight: 8 },
    fc.constantFrom('refuses', 'fails', 'breaks'),
  ),
  /** Events of a stream before it is cut; beyond its length it is whole. */
  events: fc.oneof({ arbitrary: fc.constant(99), weight: 2 }, fc.nat(EVENTS.length)),
});
type Conduct = typeof conduct extends fc.Arbitrary<infer T> ? T : never;

const plan = fc.record({
  ...Object.fromEntries(PHASES.map((phase) => [phase, conduct])),
  images: fc.nat(2),
  isStream: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, fc.constant(false)),
  isCached: fc.boolean(),
  /** Milliseconds after which the client leaves. */
  patience: fc.option(fc.nat(60), { freq: 4 }),
}) as unknown as fc.Arbitrary<Plan>; // the spread loses which phases there are
interface Plan extends Readonly<Record<PlannedPhase, Conduct>> {
  readonly images: number;
  readonly isStream: boolean;
  readonly isCached: boolean;
  readonly patience: number | null;
}

const steps = fc
  .subarray(['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill'])
  .map((chosen) => [...chosen, 'decode'])
  .chain((chosen) =>
    fc.boolean().map((falls) => chosen.map((type) => (falls && type === 'prefill' ? FALLING_BACK : type))),
  );
const FALLING_BACK = { type: 'prefill', params: { on_failure: 'decode' } };

const kept = z.object({
  duration_ms: z.number(),
  time_to_first_token_ms: z.number().optional(),
  outcome: z.string(),
  parts_ms: z.record(z.string(), z.number()),
  calls: z.array(
    z.object({ upstream: z.string(), from_ms: z.number(), head_ms: z.number().optional(), to_ms: z.number() }),
  ),
});

describe('the parts of the time to the first token', () => {
  let cluster: ObservedCluster;
  let plans: readonly Plan[] = [];
  const outcomes = new Set<string>();

  beforeAll(async () => {
    cluster = await ObservedCluster.start();
    for (const phase of PHASES) cluster.handlers[phase] = planned(phase, cluster.handlers[phase]);
  });
  afterAll(() => cluster.close());

  /** Behaves as the plan of the request says, which its header or the path of its medium tells. */
  function planned(phase: PlannedPhase, answer: PhaseHandler): PhaseHandler {
    return async (response, request) => {
      const number = request.headers['x-plan'] ?? request.path.split('/')[2];
      const own = plans[Number(number)];
      // a call whose client left, of a run that is over
      if (own === undefined) return void response.socket?.destroy();
      const { delay, kind, events } = own[phase];
      await sleep(delay);
      if (kind !== 'works') return misbehave(response, kind);
      const isServed = phase === 'decode' || (phase === 'probe' && own.isCached);
      if (!isServed) return answer(response, request);
      if (own.isStream) await cutStream(response, events);
      else json(response, { choices: [{ finish_reason: 'stop' }] });
    };
  }

  it('add up to it within a millisecond, for every request, failed ones too', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(plan, { minLength: 8, maxLength: 16 }), async (types, requests) => {
        plans = requests;
        const coordinator = await ObservedCoordinator.start(cluster, { steps: types, gateway: { timeout: '5s' } });
        try {
          await Promise.all(requests.map((request, index) => ask(coordinator, request, index)));
          await coordinator.idle();
          // a client may have left before its request came in
          const ids = requests.map((_, index) => `plan-${index}`);
          const arrived = ids.filter(
            (id, index) => requests[index]?.patience === null || coordinator.recorder.find(id).length > 0,
          );
          const timelines = arrived.map((id) => kept.parse(coordinator.timeline(id)));
          for (const timeline of timelines) expectToAddUp(timeline);
          for (const { outcome } of timelines) outcomes.add(outcome);
          await expectMetricsToAgree(coordinator, timelines);
        } finally {
          await coordinator.close();
        }
      }),
      { numRuns: 25, interruptAfterTimeLimit: 30_000, endOnFailure: true },
    );
    expect([...outcomes]).toEqual(expect.arrayContaining(['completed', 'failed', 'client_closed', 'upstream_reset']));
  }, 60_000);

  async function ask(
    coordinator: ObservedCoordinator,
    { images, isStream, patience }: Plan,
    index: number,
  ): Promise<void> {
    const leaving = new AbortController();
    const timer = patience === null ? undefined : setTimeout(() => leaving.abort(), patience);
    const headers = { 'x-plan': String(index), 'x-request-id': `plan-${index}` };
    const body = { ...aChatWithImages(images, `${cluster.url}/media/${index}/0.png`), stream: isStream };
    await send(coordinator.url, { headers, body, signal: leaving.signal });
    clearTimeout(timer);
  }

  function expectToAddUp(timeline: z.output<typeof kept>): void {
    const { parts_ms: parts, time_to_first_token_ms: first, duration_ms: duration, calls } = timeline;
    const sum = Object.values(parts).reduce((total, part) => total + part, 0);
    expect(Math.abs(sum - (first ?? duration))).toBeLessThan(1);
    for (const { upstream, from_ms: from, head_ms: head = from, to_ms: to } of calls) {
      expect(from).toBeLessThanOrEqual(head);
      expect(head).toBeLessThanOrEqual(to);
      const part = upstream === 'conditional-decode' ? 'probe' : upstream;
      // nothing else runs beside a call, up to the first output
      expect(parts[part] ?? 0).toBeGreaterThanOrEqual(Math.min(head, first ?? duration) - from - 1);
    }
  }

  async function expectMetricsToAgree(
    coordinator: ObservedCoordinator,
    timelines: readonly z.output<typeof kept>[],
  ): Promise<void> {
    const first = timelines.flatMap(({ time_to_first_token_ms: time }) => time ?? []);
    const [name, part] = [`${PREFIX}time_to_first_token_seconds`, `${PREFIX}time_to_first_token_part_seconds`];
    expect(await coordinator.total(`${name}_count`)).toBe(first.length);
    const sum = await coordinator.total(`${name}_sum`);
    expect(sum).toBeCloseTo(first.reduce((total, time) => total + time, 0) / 1000, 4);
    expect(await coordinator.total(`${part}_sum`)).toBeCloseTo(sum, 6);
    const counts = Object.values(await coordinator.samples(`${part}_count`));
    expect(counts).toEqual(first.length === 0 ? [] : Array.from({ length: 8 }, () => first.length));
  }
});

function misbehave(response: ServerResponse, kind: Exclude<Conduct['kind'], 'works'>): void {
  if (kind === 'breaks') response.socket?.resetAndDestroy();
  else json(response, { error: {} }, kind === 'refuses' ? 429 : 500);
}

/** A stream that is cut after so many events, in the middle of the next. */
async function cutStream(response: ServerResponse, events: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const event of EVENTS.slice(0, events)) {
    await sleep(2);
    response.write(`data: ${event}\n\n`);
  }
  if (events > EVENTS.length) return void response.end();
  await new Promise((resolve) => response.write('data: {"cho', resolve));
  response.socket?.resetAndDestroy();
}
