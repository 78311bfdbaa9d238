import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { pickerConfig } from './support/picker-config.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import type { SaidLoad } from './support/scripted.worker.ts';
import { openBody, readText } from './support/streaming.client.ts';
import type { SentHeaders } from './support/streaming.client.ts';
import { listInBase64 } from './support/subset-hint.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const SUBSET_HEADER = 'x-wanted-endpoints';
const hint = (...named: readonly string[]): SentHeaders => ({ [SUBSET_HEADER]: listInBase64(named) });
const REASON = 'x-llm-d-request-dropped-reason';
const IDLE: SaidLoad = { running: 0, waiting: 0, kvUsage: 0 };
const FULL: SaidLoad = { running: 256, waiting: 50, kvUsage: 1 };

/** Prompts that have nothing in common, not even their first token. */
let prompts = 0;
const newPrompt = (length: number): number[] => {
  prompts += 1;
  return Array.from({ length }, (_, i) => prompts * 1000 + i);
};

withEnvoy('where a real Envoy and its picker send a request', () => {
  let workers: ScriptedWorker[];
  let stack: PickerStack;
  beforeAll(async () => {
    workers = await Promise.all(
      ['decode-1', 'decode-2'].map((name) =>
        ScriptedWorker.start(name, 'decode', (_request, response) => void response.end(name)),
      ),
    );
    const config = (endpoints: string) =>
      pickerConfig(endpoints, ['encode', 'decode'], {
        'approx-prefix-cache-producer': { autoTune: false, blockSizeTokens: 1 },
        'prefix-based-pd-decider': { nonCachedTokens: 16, promptTokens: 8 },
      });
    stack = await startPickerStack({
      workers,
      picker: (endpoints) => ({ name: 'decode', config: config(endpoints), flags: ['--objectives=batch=-1'] }),
      subsetHeader: SUBSET_HEADER,
    });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all(workers.map((worker) => worker.close()));
  });

  /** The worker's name, or what was said in its place. */
  async function ask(headers: SentHeaders = {}, prompt = newPrompt(20)) {
    const body = JSON.stringify({ model: 'm', prompt });
    const answer = await openBody(`${stack.url}/v1/completions`, [body], headers);
    return { status: answer.statusCode, text: await readText(answer), reason: answer.headers[REASON] };
  }

  const address = (index: number): string => workers[index]?.address ?? '';
  const callsSoFar = (): number => workers.reduce((sum, { requests }) => sum + requests.length, 0);

  /** Has the workers report a load, and waits until the picker knows. */
  async function report(...loads: readonly SaidLoad[]): Promise<void> {
    for (const [i, worker] of workers.entries()) worker.load = loads[i] ?? IDLE;
    await eventually(async () => {
      const page = (await (await fetch(`${stack.picker.adminUrl}/admin/endpoints`)).json()) as EndpointsPage; // its shape
      return page.endpoints.every(({ name, load }) => {
        const said = workers.find((worker) => worker.name === name)?.load ?? IDLE;
        return load.waiting === said.waiting && load.kvUsage === said.kvUsage;
      });
    });
  }

  describe('with a subset hint', () => {
    it.each([0, 1])('is the one endpoint that it names (%i)', async (index) => {
      for (let i = 0; i < 10; i++) {
        const { text } = await ask(hint('10.0.0.9:80', address(index)));
        expect(text).toBe(workers[index]?.name);
      }
    });

    it('is any of those that it names, as without one', async () => {
      const of = async (headers: SentHeaders): Promise<Set<string>> =>
        new Set((await Promise.all(Array.from({ length: 40 }, () => ask(headers)))).map(({ text }) => text));
      const both = new Set(['decode-1', 'decode-2']);
      expect(await of(hint(address(0), address(1)))).toEqual(both);
      expect(await of({})).toEqual(both);
    });

    it.each([
      ['names a foreign address', ['10.0.0.9:80']],
      ['names nobody', []],
    ])('is nowhere where it %s', async (_, named) => {
      const before = callsSoFar();
      expect(await ask(hint(...named))).toEqual({
        status: 503,
        text: 'inference error: ServiceUnavailable - failed to find endpoint candidates for serving the request',
        reason: 'rejected-no-endpoints',
      });
      expect(callsSoFar()).toBe(before);
    });

    it('is not what a client says under the name of the hint', async () => {
      expect((await ask({ 'x-gateway-destination-endpoint-subset': '10.0.0.9:80' })).status).toBe(200);
    });
  });

  describe('by what workers report of their load', () => {
    afterAll(() => report(IDLE, IDLE));

    it.each([0, 1])('is where nobody waits', async (index) => {
      await report(...[IDLE, IDLE].with(1 - index, { ...IDLE, waiting: 3 }));
      for (let i = 0; i < 10; i++) expect((await ask()).text).toBe(workers[index]?.name);
    });

    it('is still somewhere when all are full: only what may be shed is dropped', async () => {
      await report(FULL, FULL);
      expect((await ask()).status).toBe(200);
    });

    it('is nowhere when all are full, for a request that may be shed: 429, and why', async () => {
      const batch = { 'x-llm-d-inference-objective': 'batch' };
      await report(IDLE, IDLE);
      expect((await ask(batch)).status).toBe(200);
      await report(FULL, FULL);
      const before = callsSoFar();
      expect(await ask(batch)).toEqual({
        status: 429,
        text: 'inference error: ResourceExhausted - system saturated, sheddable request dropped',
        reason: 'rejected-saturated',
      });
      expect(callsSoFar()).toBe(before);
    });

    it('is nowhere where a phase has no pod, and it says 429 and why', async () => {
      const before = callsSoFar();
      expect(await ask({ 'epp-profile': 'encode' })).toEqual({
        status: 429,
        text: expect.stringContaining('no endpoints available for the given request'),
        reason: 'rejected-saturated',
      });
      expect(callsSoFar()).toBe(before);
    });
  });

  describe('that prefers an answer at hand', () => {
    const expectAnswer = async (prefer: readonly string[], status: number): Promise<void> => {
      const before = callsSoFar();
      const answer = await ask({ prefer }, newPrompt(100));
      expect(answer.status).toBe(status);
      expect(callsSoFar() - before).toBe(status === 412 ? 0 : 1);
      if (status === 412) {
        expect(answer.text).toBe('inference error: PreconditionFailed - no decode worker has the requested KV cache');
      }
    };

    it.each([
      [['if-available'], 412],
      [['IF-AVAILABLE'], 412],
      [['respond-async, if-available;x=1'], 412],
      [['respond-async', 'if-available'], 412],
      [['if-available', 'respond-async'], 412],
      [['if-available-now'], 200],
      [['x="if-available"'], 200],
    ])('and has it nowhere, with %j: %i', expectAnswer);

    it.each([
      { tokens: 100, cached: 0, status: 412 },
      { tokens: 100, cached: 84, status: 412 },
      { tokens: 100, cached: 85, status: 200 },
      { tokens: 100, cached: 100, status: 200 },
      { tokens: 7, cached: 0, status: 200 },
    ])(
      'has it where fewer than 16 tokens are missing, or the prompt is short: %j',
      async ({ tokens, cached, status }) => {
        const prompt = newPrompt(tokens);
        const warm = cached === 0 ? undefined : await ask({}, prompt.slice(0, cached));
        const answer = await ask({ prefer: 'if-available' }, prompt);
        expect(answer.status).toBe(status);
        if (warm !== undefined && status === 200) expect(answer.text).toBe(warm.text);
      },
    );
  });

  it('is nowhere in an empty pool, at once and for all', async () => {
    stack.setEndpoints([]);
    await eventually(async () => (await ask()).status === 503);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(answers.map(({ status, reason }) => [status, reason])).toEqual(
      answers.map(() => [503, 'rejected-no-endpoints']),
    );
    stack.setEndpoints(workers);
    await eventually(async () => (await ask()).status === 200);
  });
});

/** Of the page, what is looked at here. */
interface EndpointsPage {
  readonly endpoints: readonly { readonly name: string; readonly load: Partial<SaidLoad> }[];
}
