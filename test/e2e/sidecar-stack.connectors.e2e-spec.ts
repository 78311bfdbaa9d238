import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { ask, callsOf, cold, phases, withImage } from './support/sidecar.client.ts';
import { startSidecarStack } from './support/sidecar-stack.ts';
import type { SidecarStack } from './support/sidecar-stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const envoy = await ensureEnvoy();
if (envoy === undefined)
  process.stdout.write('SKIPPED: no connector of a sidecar behind Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

const CONNECTORS = [
  { kv: 'nixlv2', ec: 'ec-nixl' },
  { kv: 'shared-storage', ec: 'ec-example' },
  { kv: 'sglang', ec: 'ec-nixl' },
  { kv: 'mooncake', ec: 'ec-example' },
  { kv: 'offloading', ec: 'ec-nixl' },
] as const;

interface Row {
  readonly what: string;
  readonly content: unknown;
  /** Of the body. */
  readonly changes?: object;
  /** Phases of the calls, in the order of their names. */
  readonly wanted: string;
}

/** What one connector alone does. */
const OWN_ROWS: Readonly<Record<string, readonly Row[]>> = {
  'shared-storage': [
    {
      what: 'a completion that decode is asked for first, and has too little of',
      content: cold('Threshold'),
      changes: { cache_hit_threshold: 0.9 },
      wanted: 'decode, decode, prefill',
    },
  ],
};

withEnvoy.each(CONNECTORS)('a sidecar with $kv and $ec, behind Envoy and a picker', ({ kv, ec }) => {
  let stack: SidecarStack;
  beforeAll(async () => {
    stack = await startSidecarStack({ kv, ec });
  });
  afterAll(() => stack.stop());

  it.each<Row>([
    { what: 'a completion', content: cold('Connector'), wanted: 'decode, prefill' },
    { what: 'a completion with an image', content: withImage('Connected'), wanted: 'decode, encode, prefill' },
    ...(OWN_ROWS[kv] ?? []),
  ])('streams $what, whose workers hand on what they have as their engines want it', async (row) => {
    const { content, changes = {}, wanted } = row;
    const prefilled = (): Promise<number> => stack.counted('prefill_duration_seconds_count');
    const before = await prefilled();
    const id = `${kv}-${before}`;
    const asked = await ask(stack, id, content, changes);
    expect(asked.status).toBe(200);
    expect(asked.text).toMatch(/"usage":\{"prompt_tokens":\d+.*\n\ndata: \[DONE\]\n\n$/);
    // it may end behind the answer of decode
    await stack.cluster.requests.waitFor(({ requestId, phase }) => requestId === id && phase === 'prefill');
    const calls = callsOf(stack, id);
    expect(phases({ calls }).split(', ').toSorted().join(', ')).toBe(wanted);
    expect(calls.map(({ status, outcome }) => [status, outcome])).toEqual(calls.map(() => [200, 'complete']));
    expect(calls.findLast(({ phase }) => phase === 'decode')?.facts['remote']).toBe(true);
    await eventually(async () => (await prefilled()) === before + 1);
    expect(await stack.counted('request_errors_total')).toBe(0);
  });
});
