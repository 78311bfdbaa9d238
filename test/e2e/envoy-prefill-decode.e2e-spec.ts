import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LoggedCall } from '../../apps/simulator/src/control/request-log.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { startEnvoyStack } from './support/envoy-stack.ts';
import type { EnvoyStack } from './support/envoy-stack.ts';
import { eventually } from './support/eventually.ts';
import { metricOf } from './support/picker-metrics.ts';
import type { PickerProcess } from './support/picker.process.ts';
import { sampleConfig } from './support/sample-config.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';
import type { SentHeaders } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const ROLES = ['prefill', 'prefill', 'decode', 'decode'] as const;
const PIN = 'x-llm-d-pin-host-port';

const envoy = await ensureEnvoy();
if (envoy === undefined)
  process.stdout.write('SKIPPED: no pair of workers behind a real Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

const chat = (content: string, changes: object = {}): object => ({
  model: 'm',
  stream: true,
  max_tokens: 5,
  messages: [{ role: 'user', content: `${content}: ${'tell me in many plain words how it came about. '.repeat(30)}` }],
  ...changes,
});

/** Behind the sample for SGLang. @param reserves whether the picker has the plugins for it */
async function start(reserves: boolean): Promise<EnvoyStack> {
  const stack = await startEnvoyStack({
    cluster: { workers: ROLES.map((role) => ({ role })), kv: 'sglang', ec: 'none', timing: { itl_ms: 5 } },
    steps: ['render', 'prefill-decode'],
    pipeline: { kv_connector: 'kv-sglang' },
    pickers: (endpoints) => {
      const config = sampleConfig(
        'sglang.yaml',
        endpoints,
        reserves ? [] : ['reserve-endpoint', 'endpoint-pin-screener'],
      );
      const all = { name: 'all', config };
      return { encode: all, prefill: all, decode: all };
    },
  });
  if (stack === undefined) throw new Error('Envoy was there a moment ago');
  return stack;
}

function pickerOf({ pickers }: EnvoyStack): PickerProcess {
  const picker = pickers.get('all');
  if (picker === undefined) throw new Error('there is no picker');
  return picker;
}

async function ask(id: string, body: object, url: string, headers: SentHeaders = {}) {
  const answer = await openChat(url, body, { 'x-request-id': id, ...headers });
  return { status: answer.statusCode, headers: answer.headers, text: await readText(answer) };
}

interface Why {
  readonly requestId: string;
  readonly isReserved: boolean;
  readonly profiles: readonly { readonly picked: readonly string[] }[];
}

withEnvoy('prefill and decode at once behind a real Envoy, as config/epp/sglang.yaml has it', () => {
  let stack: EnvoyStack;
  beforeAll(async () => {
    stack = await start(true);
  });
  beforeEach(() => {
    stack.cluster.faults.clear();
  });
  afterAll(() => stack.stop());

  /** The calls that workers got under an id. */
  const callsOf = (id: string): readonly LoggedCall[] =>
    stack.cluster.requests.of(id).filter(({ phase }) => phase !== 'render');
  const metric = (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> =>
    metricOf(pickerOf(stack), name, labels);

  async function decisionOf(id: string): Promise<Why | undefined> {
    const answer = await fetch(`${pickerOf(stack).adminUrl}/admin/decisions?count=256`);
    const { decisions } = (await answer.json()) as { decisions: readonly Why[] }; // the page's shape
    return decisions.find(({ requestId }) => requestId === id);
  }

  async function endpointCount(): Promise<number> {
    const answer = await fetch(`${pickerOf(stack).adminUrl}/admin/endpoints`);
    const { endpoints } = (await answer.json()) as { endpoints: readonly unknown[] }; // the page's shape
    return endpoints.length;
  }

  async function nothingInFlight(): Promise<void> {
    const names = ['inflight_requests', 'inflight_tokens', 'request_running', 'extproc_streams_inflight'];
    await eventually(async () => {
      const values = await Promise.all(names.map((name) => metric(`llm_d_epp_${name}`)));
      return values.every((value) => value === 0);
    });
  }

  /** Where the picker said that prefill would run, and where it ran. */
  async function reservedAndRun(id: string): Promise<readonly [string | undefined, string | undefined]> {
    const reserved = await decisionOf(`${id}-reserve`);
    expect(reserved?.isReserved).toBe(true);
    const [prefill] = callsOf(`${id}-prefill`);
    return [reserved?.profiles[0]?.picked[0], prefill && `default/${prefill.server}`];
  }

  it('streams an answer whose prefill ran on the reserved pod, and no pod sees the reservation', async () => {
    const before = await metric('llm_d_epp_scheduler_attempts_total', { status: 'reserved' });
    const { status, text, headers } = await ask('pair', chat('Pair'), stack.url);
    expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    expect(headers).not.toHaveProperty('x-llm-d-reserved-host-port');
    const [reserved, run] = await reservedAndRun('pair');
    expect(run).toBe(reserved);
    expect(callsOf('pair-reserve')).toEqual([]);
    const calls = [...callsOf('pair-prefill'), ...callsOf('pair')];
    expect(calls.map(({ phase, status: answered }) => [phase, answered])).toEqual([
      ['prefill', 200],
      ['decode', 200],
    ]);
    for (const call of calls) {
      expect(call.headers).not.toHaveProperty(PIN);
      expect(call.headers).not.toHaveProperty('prefer');
    }
    expect(calls[1]?.facts['remote']).toBe(true);
    expect(await metric('llm_d_epp_scheduler_attempts_total', { status: 'reserved' })).toBe(before + 1);
    await nothingInFlight();
  });

  it('sends every prefill of many requests to its own reserved pod', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    const answers = await Promise.all(ids.map((id) => ask(id, chat(id, { stream: false }), stack.url)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    for (const id of ids) {
      const [reserved, run] = await reservedAndRun(id);
      expect(run).toBe(reserved);
    }
    await nothingInFlight();
  });

  it('says 204 and nothing else to a reservation', async () => {
    const prefill = { 'epp-profile': 'prefill', prefer: ['return=minimal', 'Reserve-Endpoint'] };
    const { status, headers, text } = await ask('by-hand', chat('Hand'), stack.phaseUrl, prefill);
    expect([status, text, headers['preference-applied']]).toEqual([204, '', 'reserve-endpoint']);
    expect(headers['x-llm-d-reserved-host-port']).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(callsOf('by-hand')).toEqual([]);
  });

  it.each([
    ['of no pod', '169.254.169.254:80', 503],
    ['of a pod of another role', 'decode', 429],
    ['that is no ip:port', 'mallory', 400],
  ])('sends a pin %s nowhere', async (_what, pin, status) => {
    const decode = stack.cluster.workers.find(({ role }) => role === 'decode');
    const value = pin === 'decode' ? new URL(decode?.url ?? '').host : pin;
    const id = `pin-${status}`;
    const refused = await ask(id, chat(id), stack.phaseUrl, { 'epp-profile': 'prefill', [PIN]: value });
    expect(refused.status).toBe(status);
    expect(callsOf(id)).toEqual([]);
  });

  it('does not let a client choose a pod', async () => {
    const { status } = await ask('foreign', chat('Foreign'), stack.url, {
      [PIN]: '10.0.0.9:9',
      prefer: 'reserve-endpoint',
    });
    expect(status).toBe(200);
    const [reserved, run] = await reservedAndRun('foreign');
    expect(run).toBe(reserved);
  });

  it('says what became of the request when its prefill pod dies, and leaves decode', async () => {
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'reset', times: 1 }]);
    const { status, text } = await ask('dead', chat('Dead'), stack.url);
    // Envoy makes 503 of a connection that broke
    expect([status, text.includes('"error"')]).toEqual([503, true]);
    const [decode] = callsOf('dead');
    if (decode !== undefined) await stack.cluster.requests.waitFor((call) => call === decode, 30_000);
    expect(decode?.status).not.toBe(200);
    await nothingInFlight();
  });

  it('sends a prefill nowhere when its pod has gone since it was reserved', async () => {
    const { workers } = stack.cluster;
    const prefill = { 'epp-profile': 'prefill' };
    const { headers } = await ask('kept', chat('Kept'), stack.phaseUrl, { ...prefill, prefer: 'reserve-endpoint' });
    const pin = String(headers['x-llm-d-reserved-host-port']);
    stack.setEndpoints(workers.filter(({ port }) => !pin.endsWith(`:${port}`)));
    await eventually(async () => (await endpointCount()) === workers.length - 1);
    const { status, text } = await ask('gone', chat('Kept'), stack.phaseUrl, { ...prefill, [PIN]: pin });
    expect([status, text]).toEqual([503, expect.stringContaining('endpoint-pin-screener')]);
    expect(callsOf('gone')).toEqual([]);
    stack.setEndpoints(workers);
    await eventually(async () => (await endpointCount()) === workers.length);
  });

  it('ends both calls when the client leaves', async () => {
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'stall', times: 1 }]);
    const gone = new AbortController();
    const answer = openChat(stack.url, chat('Leaving'), { 'x-request-id': 'leaving' }, gone.signal).catch(
      () => undefined,
    );
    const both = (): readonly LoggedCall[] => [...callsOf('leaving-prefill'), ...callsOf('leaving')];
    await eventually(() => both().length === 2);
    gone.abort();
    await answer;
    await eventually(() => both().every(({ outcome }) => outcome === 'client-closed'));
    await nothingInFlight();
  });

  it('ends decode when the client leaves in the middle of the answer', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'stall', after_events: 2, times: 1 }]);
    const answer = await openChat(stack.url, chat('Middle'), { 'x-request-id': 'middle' });
    await readFirstEvent(answer);
    answer.destroy();
    await eventually(() => callsOf('middle')[0]?.outcome === 'client-closed');
    await nothingInFlight();
  });
});

withEnvoy('prefill and decode at once behind a picker that reserves nothing', () => {
  let stack: EnvoyStack;
  beforeAll(async () => {
    stack = await start(false);
  });
  afterAll(() => stack.stop());

  it('is 502, and the client is told what is missing', async () => {
    // to a worker it is a request like any other
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'status', status: 200, body: { choices: [] }, times: 1 }]);
    const { status, text } = await ask('missing', chat('Missing'), stack.url);
    expect([status, text]).toEqual([502, expect.stringContaining('plugin reserve-endpoint')]);
    const reserve = stack.cluster.requests.of('missing-reserve');
    expect(reserve.map(({ phase, headers }) => [phase, headers['prefer']])).toEqual([['prefill', undefined]]);
    expect(stack.cluster.requests.of('missing-prefill')).toEqual([]);
  });

  it('leaves a worker the wishes that are not the picker’s', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'status', status: 200, body: {}, times: 1 }]);
    const wishes = { 'epp-profile': 'decode', prefer: ['return=minimal', 'reserve-endpoint', 'wait=10'] };
    await ask('wishes', chat('Wishes'), stack.phaseUrl, wishes);
    const [call] = stack.cluster.requests.of('wishes');
    expect(call?.headers['prefer']).toBe('return=minimal, wait=10');
  });
});
