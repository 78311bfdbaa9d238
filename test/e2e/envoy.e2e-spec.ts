import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LoggedCall } from '../../apps/simulator/src/control/request-log.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { startEnvoyStack } from './support/envoy-stack.ts';
import type { EnvoyStack } from './support/envoy-stack.ts';
import { eventually } from './support/eventually.ts';
import { PHASES, pickerConfig } from './support/picker-config.ts';
import type { Phase } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import type { PickerProcess, PickerSetting } from './support/picker.process.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';
import type { SentHeaders } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const ROLES = ['encode', 'encode', 'prefill', 'prefill', 'decode', 'decode'] as const;

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: nothing is tried behind a real Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

const TOPOLOGIES = [
  {
    name: 'one picker with three profiles',
    isOne: true,
    pickers: (endpoints: string) => {
      const all = { name: 'all', config: pickerConfig(endpoints, PHASES) };
      return { encode: all, prefill: all, decode: all };
    },
  },
  {
    name: 'a picker for each role',
    isOne: false,
    pickers: (endpoints: string) => {
      const of = (phase: Phase): PickerSetting => ({ name: phase, config: pickerConfig(endpoints, [phase]) });
      return { encode: of('encode'), prefill: of('prefill'), decode: of('decode') };
    },
  },
];

/** Calls that workers get. */
const WORKED: ReadonlySet<string> = new Set(['probe', 'encode', 'prefill', 'decode']);

const longPrompt = (topic: string): string =>
  `${topic}: ${'tell me in many plain words how it came about and why. '.repeat(40)}`;
const chat = (content: unknown, changes: object = {}): object => ({
  model: 'm',
  stream: true,
  max_tokens: 5,
  messages: [{ role: 'user', content }],
  ...changes,
});

withEnvoy.each(TOPOLOGIES)('behind a real Envoy, $name', ({ pickers, isOne }) => {
  let stack: EnvoyStack;
  beforeAll(async () => {
    const started = await startEnvoyStack({
      cluster: { workers: ROLES.map((role) => ({ role })), timing: { itl_ms: 10 } },
      pickers,
    });
    if (started === undefined) throw new Error('Envoy was there a moment ago');
    stack = started;
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(() => stack.stop());

  const pickerOf = (phase: Phase): PickerProcess => {
    const picker = stack.pickers.get(isOne ? 'all' : phase);
    if (picker === undefined) throw new Error(`there is no picker for ${phase}`);
    return picker;
  };

  /** The sum over all pickers. */
  async function metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const values = await Promise.all([...stack.pickers.values()].map((picker) => metricOf(picker, name, labels)));
    return values.reduce((sum, value) => sum + value, 0);
  }

  const workerCalls = (id: string): LoggedCall[] =>
    stack.cluster.requests.of(id).filter(({ phase }) => WORKED.has(phase));

  /** The calls that workers got for a request, in their order: `[phase, server, status]`. */
  const callsOf = (id: string): (readonly [string, string, number | undefined])[] =>
    workerCalls(id).map(({ phase, server, status }) => [phase, server, status] as const);

  async function ask(id: string, body: object, headers: SentHeaders = {}, url = stack.url) {
    const answer = await openChat(url, body, { 'x-request-id': id, ...headers });
    return { status: answer.statusCode, headers: answer.headers, text: await readText(answer) };
  }

  it('has every phase served by a pod of its role', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
    const { status, text } = await ask('roles', chat([{ type: 'text', text: longPrompt('Roles') }, image]));
    expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    const calls = callsOf('roles');
    expect(calls.map(([phase, , answered]) => [phase, answered])).toEqual([
      ['encode', 200],
      ['prefill', 200],
      ['decode', 200],
    ]);
    for (const [phase, server] of calls) expect(server).toMatch(new RegExp(`^${phase}-`));
  });

  it.each(['Rain', 'Snow', 'Hail'])(
    'answers a cold prompt by way of 412 and all phases, and the same again by the pod that has it (%s)',
    async (topic) => {
      const prompt = chat(longPrompt(`${topic} with ${isOne}`));
      const refused = { error_code: 'PreconditionFailed' };
      const before = await metric('llm_d_epp_request_error_total', refused);
      expect((await ask(`cold ${topic}`.replace(' ', '-'), prompt)).status).toBe(200);
      expect(await metric('llm_d_epp_request_error_total', refused)).toBe(before + 1);
      const cold = callsOf(`cold-${topic}`);
      // the picker says 412 itself: no worker is asked
      expect(cold.map(([phase, , status]) => [phase, status])).toEqual([
        ['prefill', 200],
        ['decode', 200],
      ]);
      expect((await ask(`warm-${topic}`, prompt)).status).toBe(200);
      expect(callsOf(`warm-${topic}`)).toEqual([['probe', cold[1]?.[1], 200]]);
      expect(await metric('llm_d_epp_request_error_total', refused)).toBe(before + 1);
    },
  );

  it('passes an event on before the worker makes the next one', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'stall', after_events: 1, times: 1 }]);
    const answer = await openChat(stack.url, chat(longPrompt('Pace')), { 'x-request-id': 'pace' });
    await readFirstEvent(answer);
    // it makes no other until it is left
    const decode = workerCalls('pace').find(({ phase }) => phase === 'decode');
    expect([decode?.events, decode?.outcome]).toEqual([1, undefined]);
    answer.destroy();
    const left = await stack.cluster.requests.waitFor((call) => call === decode, 30_000);
    expect(left.outcome).toBe('client-closed');
  });

  it('lets no routing header of a client reach a worker, nor a profile of its choice', async () => {
    const foreign = '10.0.0.9:9090';
    const headers = {
      'x-prefiller-host-port': foreign,
      'x-encoder-hosts-ports': foreign,
      'x-data-parallel-host-port': foreign,
      'x-kv-cache-source-host-port': foreign,
      'x-gateway-destination-endpoint': foreign,
      'x-gateway-destination-endpoint-subset': foreign,
      'epp-profile': 'encode',
      prefer: 'if-available',
    };
    expect((await ask('headers', chat(longPrompt('Headers')), headers)).status).toBe(200);
    const seen = workerCalls('headers');
    expect(seen.map(({ phase }) => phase)).toEqual(['prefill', 'decode']);
    for (const call of seen) {
      expect(JSON.stringify(call.headers)).not.toContain('10.0.0.9');
      expect([call.headers['epp-profile'], call.headers['prefer']]).toEqual([call.phase, undefined]);
    }
  });

  it('takes a long prompt in pieces, and hands it over as it came', async () => {
    const words = 'every word counts, naïve or 書, and none is lost. '.repeat(1_200);
    expect((await ask('large', chat(words))).status).toBe(200);
    const decoded = workerCalls('large').find(({ phase }) => phase === 'decode');
    expect(decoded?.body).toMatchObject({ messages: [{ role: 'user', content: words }] });
  });

  it.each([true, false])(
    'has another model serve where a header says so, and names the first (stream: %s)',
    async (stream) => {
      const rewrite = { 'x-llm-d-model-name-rewrite': 'served-model' };
      const id = `rewrite-${stream}`;
      const { status, text } = await ask(id, chat(longPrompt(id), { model: 'asked-model', stream }), rewrite);
      expect(status).toBe(200);
      const calls = workerCalls(id);
      expect(calls.map(({ phase, facts }) => [phase, facts['model']])).toEqual([
        ['prefill', 'served-model'],
        ['decode', 'served-model'],
      ]);
      for (const call of calls) expect(call.headers).not.toHaveProperty('x-llm-d-model-name-rewrite');
      expect(text).toContain('"model":"asked-model"');
      expect(text).not.toContain('served-model');
    },
  );

  it('says 400 to a phase that nobody configured', async () => {
    const { status, text } = await ask('phase', chat('Which'), { 'epp-profile': 'nonsense' }, stack.phaseUrl);
    // with a picker for each role, no route leads to one, and the coordinator serves it
    expect([status, text.includes('no scheduling profile')]).toEqual(isOne ? [400, true] : [200, false]);
  });

  it('has nothing in flight any more when a client has left in the middle of a stream', async () => {
    const inFlight = (): Promise<number[]> =>
      Promise.all([metric('llm_d_epp_request_running'), metric('llm_d_epp_extproc_streams_inflight')]);
    stack.cluster.faults.set([{ phase: 'decode', kind: 'stall', after_events: 3, times: 1 }]);
    const answer = await openChat(stack.url, chat(longPrompt('Leaving')), { 'x-request-id': 'leaving' });
    await readFirstEvent(answer);
    expect(await inFlight()).toEqual([1, 1]);
    answer.destroy();
    await eventually(async () => (await inFlight()).every((value) => value === 0));
    const decode = await stack.cluster.requests.waitFor(
      ({ requestId, phase }) => requestId === 'leaving' && phase === 'decode',
      30_000,
    );
    expect(decode.outcome).toBe('client-closed');
  });

  it('says why a request went where it did', async () => {
    expect((await ask('why', chat(longPrompt('Reasons')))).status).toBe(200);
    const { adminUrl } = pickerOf('decode');
    const { decisions } = (await read(`${adminUrl}/admin/decisions`)) as { decisions: Why[] }; // the page's shape
    const made = decisions.find(({ requestId, primary }) => requestId === 'why' && primary === 'decode');
    const served = callsOf('why').find(([phase]) => phase === 'decode')?.[1];
    expect(made?.profiles[0]?.picked).toEqual([`default/${served}`]);
    expect(made?.profiles[0]?.filters[0]?.left.toSorted()).toEqual(['default/decode-1', 'default/decode-2']);
    const { endpoints } = (await read(`${adminUrl}/admin/endpoints`)) as { endpoints: unknown[] };
    expect(endpoints).toHaveLength(ROLES.length);
  });

  it('says 503 and why where no worker is left, and serves again when there is one', async () => {
    const { workers } = stack.cluster;
    stack.setEndpoints([]);
    await eventually(async () => (await ask('empty', chat('Nobody'))).status === 503);
    const refused = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(`empty-${i}`, chat('Nobody'))));
    for (const { status, headers } of refused) {
      expect([status, headers['x-llm-d-request-dropped-reason']]).toEqual([503, 'rejected-no-endpoints']);
    }
    stack.setEndpoints(workers);
    await eventually(async () => (await ask('back', chat('Somebody'))).status === 200);
  });
});

/** Of a decision, what is looked at here. */
interface Why {
  readonly requestId: string;
  readonly primary?: string;
  readonly profiles: readonly { readonly picked: string[]; readonly filters: readonly { readonly left: string[] }[] }[];
}

async function read(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
