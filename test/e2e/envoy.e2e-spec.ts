import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startEnvoyStack } from './support/envoy-stack.ts';
import type { EnvoyStack } from './support/envoy-stack.ts';
import type { PickerSetting } from './support/picker.process.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';
import { ensureEnvoy } from '../install/envoy.mjs';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const ROLES = ['encode', 'encode', 'prefill', 'prefill', 'decode', 'decode'] as const;

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: nothing is tried behind a real Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

const filterOf = { encode: 'encode-filter', prefill: 'prefill-filter', decode: 'decode-filter' } as const;
type Phase = keyof typeof filterOf;

function pickerConfig(endpoints: string, phases: readonly Phase[]): PickerSetting['config'] {
  return {
    apiVersion: 'llm-d.ai/v1alpha1',
    kind: 'EndpointPickerConfig',
    plugins: [
      { type: 'header-profile-handler' },
      ...phases.map((phase) => ({ type: filterOf[phase] })),
      { type: 'approx-prefix-cache-producer', parameters: { autoTune: false, blockSizeTokens: 16 } },
      { type: 'inflight-load-producer' },
      { type: 'prefix-cache-scorer' },
      { type: 'queue-scorer' },
      { type: 'prefix-based-pd-decider', parameters: { nonCachedTokens: 16 } },
      { type: 'file-discovery', parameters: { path: endpoints, watchFile: true } },
    ],
    schedulingProfiles: phases.map((phase) => ({
      name: phase,
      plugins: [
        { pluginRef: filterOf[phase] },
        { pluginRef: 'prefix-cache-scorer', weight: 2 },
        { pluginRef: 'queue-scorer' },
      ],
    })),
    dataLayer: { discovery: { pluginRef: 'file-discovery' } },
  };
}

const TOPOLOGIES = [
  {
    name: 'one picker with three profiles',
    isOne: true,
    pickers: (endpoints: string) => {
      const all = { name: 'all', config: pickerConfig(endpoints, ['encode', 'prefill', 'decode']) };
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

  /** The calls that workers got for a request, in their order: `[phase, server, status]`. */
  function callsOf(id: string): (readonly [string, string, number | undefined])[] {
    return stack.cluster.requests
      .all()
      .filter(({ requestId, phase }) => requestId === id && WORKED.has(phase))
      .map(({ phase, server, status }) => [phase, server, status] as const);
  }

  async function ask(id: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = await openChat(stack.url, body, { 'x-request-id': id, ...headers });
    return { status: answer.statusCode, headers: answer.headers, text: await readText(answer) };
  }

  it('has every phase served by a pod of its role', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
    const { status, text } = await ask('roles', chat([{ type: 'text', text: longPrompt('Roles') }, image]));
    expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    const calls = callsOf('roles').filter(([, , answered]) => answered === 200);
    expect(new Set(calls.map(([phase]) => phase))).toEqual(new Set(['encode', 'prefill', 'decode']));
    for (const [phase, server] of calls) expect(server).toMatch(new RegExp(`^${phase}-`));
  });

  it('answers a cold prompt by way of 412 and all phases, and the same again by the pod that has it', async () => {
    const prompt = chat(longPrompt('Warmth'));
    expect((await ask('cold', prompt)).status).toBe(200);
    const cold = callsOf('cold');
    // the picker says 412 itself: no worker is asked
    expect(cold.map(([phase]) => phase)).toEqual(['prefill', 'decode']);
    expect((await ask('warm', prompt)).status).toBe(200);
    const warm = callsOf('warm');
    const decodedAt = cold.find(([phase, , status]) => phase === 'decode' && status === 200)?.[1];
    expect(warm).toEqual([['probe', decodedAt, 200]]);
  });

  it('passes each event on before the next one is made', async () => {
    const answer = await openChat(stack.url, chat(longPrompt('Pace'), { max_tokens: 1_000, ignore_eos: true }));
    await readFirstEvent(answer);
    const running = stack.cluster.requests
      .all()
      .some(({ phase, outcome }) => phase === 'decode' && outcome === undefined);
    answer.destroy();
    expect(running).toBe(true);
  });

  it('lets no routing header of a client reach a worker', async () => {
    const headers = { 'x-prefiller-host-port': '10.0.0.9:9', 'x-encoder-hosts-ports': '10.0.0.9:9' };
    expect((await ask('headers', chat(longPrompt('Headers')), headers)).status).toBe(200);
    const seen = stack.cluster.requests
      .all()
      .filter(({ requestId, phase }) => requestId === 'headers' && phase !== 'client');
    expect(seen.length).toBeGreaterThan(1);
    for (const call of seen)
      expect(Object.keys(call.headers)).not.toEqual(expect.arrayContaining(Object.keys(headers)));
  });

  it('takes a prompt of megabytes in pieces, and hands it over as it came', async () => {
    const words = 'every word counts and none is lost. '.repeat(60_000);
    const { status } = await ask('large', chat(words));
    expect(status).toBe(200);
    const [decoded] = stack.cluster.requests.of('large').filter(({ phase }) => phase === 'decode');
    expect(decoded?.status).toBe(200);
  });

  it('says 400 to a phase that nobody configured', async () => {
    const { status, text } = await ask('phase', chat('Which'), { 'epp-profile': 'nonsense' });
    // with a picker for each role, no route leads to one, and the coordinator serves it
    expect([status, text.includes('no scheduling profile')]).toEqual(isOne ? [400, true] : [200, false]);
  });

  it('has nothing in flight any more when a client has left in the middle of a stream', async () => {
    const answer = await openChat(stack.url, chat(longPrompt('Leaving'), { max_tokens: 5_000, ignore_eos: true }));
    await readFirstEvent(answer);
    answer.destroy();
    await eventually(async () => {
      const texts = await Promise.all([...stack.pickers.values()].map(({ adminUrl }) => read(`${adminUrl}/metrics`)));
      const samples = texts.join('\n').matchAll(/^llm_d_epp_(request_running|extproc_streams_inflight)\S* (\d+)$/gm);
      const values = [...samples].map(([, , value]) => value);
      return values.length > 1 && values.every((value) => value === '0');
    });
  });

  it('says why a request went where it did', async () => {
    expect((await ask('why', chat(longPrompt('Reasons')))).status).toBe(200);
    const decode = stack.pickers.get(isOne ? 'all' : 'decode');
    const { decisions } = JSON.parse(await read(`${decode?.adminUrl}/admin/decisions`)) as { decisions: Why[] };
    const made = decisions.find(({ requestId, primary }) => requestId === 'why' && primary === 'decode');
    const served = callsOf('why').find(([phase]) => phase === 'decode')?.[1];
    expect(made?.profiles[0]?.picked).toEqual([`default/${served}`]);
    expect(made?.profiles[0]?.filters[0]?.left.toSorted()).toEqual(['default/decode-1', 'default/decode-2']);
    const { endpoints } = JSON.parse(await read(`${decode?.adminUrl}/admin/endpoints`)) as { endpoints: unknown[] };
    expect(endpoints).toHaveLength(ROLES.length);
  });

  it('says 503 and why where no worker is left, and serves again when there is one', async () => {
    const { workers } = stack.cluster;
    stack.setEndpoints([]);
    await eventually(async () => (await ask('empty', chat('Nobody'))).status === 503);
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

async function read(url: string): Promise<string> {
  return (await fetch(url)).text();
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isSo())) if (Date.now() > deadline) throw new Error('it did not come about in time');
}

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
