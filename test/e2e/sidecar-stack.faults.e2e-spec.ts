import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { FaultInput } from '../../apps/simulator/src/control/fault.schema.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { freePort } from './support/free-port.ts';
import { ask, chatOf, cold, phases, withImage } from './support/sidecar.client.ts';
import { startSidecarStack } from './support/sidecar-stack.ts';
import type { SidecarStack } from './support/sidecar-stack.ts';
import { openChat, readFirstEvent } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: no fault behind a sidecar and Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

let requests = 0;

/** A request's id, and a prompt that nobody has. */
function anew(): { readonly id: string; readonly topic: string } {
  requests += 1;
  return { id: `fault-${requests}`, topic: `Number ${requests}` };
}

withEnvoy('a fault behind a sidecar with nixlv2', () => {
  let stack: SidecarStack;
  beforeAll(async () => {
    stack = await startSidecarStack();
  });
  afterEach(async () => {
    stack.cluster.faults.clear();
    await nothingOpen(stack);
  });
  afterAll(() => stack.stop());

  /** Has one worker stand at a port where nobody listens. */
  async function gone(role: string): Promise<void> {
    const port = await freePort();
    await stack.list(stack.workers.map((worker) => (worker.role === role ? { ...worker, port } : worker)));
  }

  const PREFILL: readonly { what: string; fault: FaultInput; status: number; reason: string; says: string }[] = [
    {
      what: 'answers 500',
      fault: { phase: 'prefill', kind: 'status', status: 500, body: { error: { message: 'no blocks are left' } } },
      status: 500,
      reason: 'status_5xx',
      says: '{"error":{"message":"no blocks are left"}}',
    },
    {
      what: 'refuses the request',
      fault: { phase: 'prefill', kind: 'status', status: 422, body: { error: { message: 'bad image' } } },
      status: 422,
      reason: 'status_4xx',
      says: '{"error":{"message":"bad image"}}',
    },
    {
      what: 'breaks off before its answer',
      fault: { phase: 'prefill', kind: 'reset' },
      status: 502,
      reason: 'reset',
      says: '"type":"BadGateway"',
    },
    {
      what: 'breaks off in the middle of it',
      fault: { phase: 'prefill', kind: 'cut', after_events: 0 },
      status: 502,
      reason: 'reset',
      says: '"type":"BadGateway"',
    },
  ];
  it.each(PREFILL)(
    'is $status where prefill $what, and nothing is decoded',
    async ({ fault, status, reason, says }) => {
      const counted = () => stack.counted('request_errors_total', { stage: 'prefill', reason });
      const before = await counted();
      stack.cluster.faults.set([fault]);
      const { id, topic } = anew();
      const asked = await ask(stack, id, cold(topic));
      expect([asked.status, new Set(asked.calls.map(({ phase }) => phase))]).toEqual([status, new Set(['prefill'])]);
      expect(asked.text).toContain(says);
      await eventually(async () => (await counted()) === before + 1);
    },
  );

  it('is waited for where prefill is slow, and decode begins behind it', async () => {
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'slow', delay_ms: 250 }]);
    const { id, topic } = anew();
    const asked = await ask(stack, id, cold(topic));
    expect([asked.status, phases(asked)]).toEqual([200, 'prefill, decode']);
    const [prefill, decode] = asked.calls;
    expect(prefill?.outcome).toBe('complete');
    expect(decode?.startedAt).toBeGreaterThanOrEqual((prefill?.startedAt ?? 0) + (prefill?.headMs ?? 0));
  });

  const DOWN = [
    { role: 'prefill', content: cold, called: '' },
    { role: 'encode', content: withImage, called: '' },
  ];
  it.each(DOWN)(
    'is 502 where the $role worker is not there, and nobody else is called',
    async ({ role, content, called }) => {
      const counted = () => stack.counted('request_errors_total', { stage: role, reason: 'refused' });
      const before = await counted();
      await gone(role);
      const { id, topic } = anew();
      const asked = await ask(stack, id, content(topic));
      await stack.list(stack.workers);
      expect([asked.status, phases(asked)]).toEqual([502, called]);
      expect(asked.text).toContain('"type":"BadGateway"');
      await eventually(async () => (await counted()) === before + 1);
    },
  );

  it('is 502 where the encode worker fails, and nothing is prefilled', async () => {
    stack.cluster.faults.set([{ phase: 'encode', kind: 'status', status: 503 }]);
    const { id, topic } = anew();
    const asked = await ask(stack, id, withImage(topic));
    expect([asked.status, phases(asked)]).toEqual([502, 'encode']);
    await eventually(
      async () => (await stack.counted('request_errors_total', { stage: 'encode', reason: 'status_5xx' })) === 1,
    );
  });

  it('is no whole answer where decode breaks off in its midst', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'reset', after_events: 3 }]);
    const { id, topic } = anew();
    // Envoy has not always sent the head when it sees the break
    const seen = await ask(stack, id, cold(topic)).then(
      ({ status }) => status,
      () => 'broken off',
    );
    expect([502, 'broken off']).toContain(seen);
    await eventually(
      async () => (await stack.counted('request_errors_total', { stage: 'decode', reason: 'reset' })) === 1,
    );
    expect(await stack.counted('responses_total', { outcome: 'upstream_reset' })).toBe(1);
  });

  const LEAVES: readonly { stage: 'encode' | 'prefill' | 'decode'; fault: FaultInput[]; called: string }[] = [
    { stage: 'encode', fault: [{ phase: 'encode', kind: 'stall' }], called: 'encode' },
    { stage: 'prefill', fault: [{ phase: 'prefill', kind: 'stall' }], called: 'encode, prefill' },
    {
      stage: 'decode',
      fault: [{ phase: 'decode', kind: 'stall', after_events: 2 }],
      called: 'encode, prefill, decode',
    },
  ];
  it.each(LEAVES)(
    'is none where the client leaves during $stage: that call is given up',
    async ({ stage, fault, called }) => {
      const counted = () => stack.counted('request_errors_total', { stage, reason: 'client_closed' });
      const before = await counted();
      stack.cluster.faults.set(fault);
      const { id, topic } = anew();
      const leaving = new AbortController();
      const answer = openChat(stack.url, chatOf(withImage(topic)), { 'x-request-id': id }, leaving.signal);
      answer.catch(() => undefined);
      await eventually(() => stack.cluster.requests.of(id).some(({ phase }) => phase === stage));
      if (stage === 'decode') await readFirstEvent(await answer);
      leaving.abort();
      const call = await stack.cluster.requests.waitFor((ended) => ended.requestId === id && ended.phase === stage);
      expect([call.outcome, phases({ calls: stack.cluster.requests.of(id) })]).toEqual(['client-closed', called]);
      await eventually(async () => (await counted()) === before + 1);
    },
  );
});

withEnvoy('a fault behind a sidecar with sglang', () => {
  let stack: SidecarStack;
  beforeAll(async () => {
    stack = await startSidecarStack({ kv: 'sglang', waitMs: 100 });
  });
  afterEach(async () => {
    stack.cluster.faults.clear();
    await nothingOpen(stack);
  });
  afterAll(() => stack.stop());

  it("is decode's answer where prefill fails beside it, and counted as prefill's", async () => {
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'status', status: 500 }]);
    const { id, topic } = anew();
    const asked = await ask(stack, id, cold(topic));
    expect(asked.status).toBe(500);
    expect(asked.text).toContain('no prefill has handed the prompt over');
    await eventually(
      async () => (await stack.counted('request_errors_total', { stage: 'prefill', reason: 'status_5xx' })) === 1,
    );
    expect(await stack.counted('request_errors_total', { stage: 'decode', reason: 'status_5xx' })).toBe(1);
  });

  it('is none where the client leaves: both calls are given up', async () => {
    stack.cluster.faults.set([
      { phase: 'prefill', kind: 'stall' },
      { phase: 'decode', kind: 'stall' },
    ]);
    const { id, topic } = anew();
    const leaving = new AbortController();
    openChat(stack.url, chatOf(cold(topic)), { 'x-request-id': id }, leaving.signal).catch(() => undefined);
    await eventually(() => stack.cluster.requests.of(id).length === 2);
    leaving.abort();
    for (const phase of ['prefill', 'decode']) {
      const call = await stack.cluster.requests.waitFor((ended) => ended.requestId === id && ended.phase === phase);
      expect(call.outcome).toBe('client-closed');
    }
  });
});

withEnvoy('a sidecar whose engine is not there', () => {
  let stack: SidecarStack;
  beforeAll(async () => {
    stack = await startSidecarStack({ sample: 'pd.yaml', roles: ['prefill'] });
  });
  afterAll(() => stack.stop());

  it.each([
    { content: 'hi', called: '' },
    { content: cold('Nobody'), called: 'prefill' },
  ])('answers 503 to $content, so that the request is sent elsewhere', async ({ content, called }) => {
    const asked = await ask(stack, anew().id, content);
    expect([asked.status, phases(asked)]).toEqual([503, called]);
    expect(asked.text).toContain('--model-server-port');
    await eventually(
      async () =>
        (await stack.counted('request_errors_total', { stage: 'decode', reason: 'refused' })) ===
        (called === '' ? 1 : 2),
    );
  });
});

/** Of the calls of workers, and of the sidecar's requests. */
async function nothingOpen(stack: SidecarStack): Promise<void> {
  await eventually(() => stack.cluster.requests.all().every(({ outcome }) => outcome !== undefined));
  await eventually(async () => (await stack.counted('requests_running')) === 0);
}
