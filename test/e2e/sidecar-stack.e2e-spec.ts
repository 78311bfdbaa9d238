import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { WorkerRole } from '../../apps/simulator/src/simulator.config.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { SHORT, ask, cold, phases, withImage } from './support/sidecar.client.ts';
import { startSidecarStack } from './support/sidecar-stack.ts';
import type { SidecarStack } from './support/sidecar-stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: no sidecar behind Envoy, since there is none.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

type Question = 'short' | 'cold' | 'again' | 'image';
/** The phases, the decision of the picker, and what the sidecar made of it; undefined for what it does not count. */
type Outcome = readonly [phases: string, decision: string, made: string | undefined];

interface Topology {
  readonly name: string;
  readonly roles: readonly WorkerRole[];
  readonly expected: Readonly<Record<Question, Outcome>>;
}

const LOCAL = ['decode', 'decode-only', undefined] as const;
const PREFILLED = ['prefill, decode', 'prefill-decode', 'prefill-decode'] as const;
const ENCODED = ['encode, decode', 'encode-decode', 'encode-decode'] as const;
const BOTH = ['encode, prefill, decode', 'encode-prefill-decode', 'encode-prefill-decode'] as const;

const SAMPLES: readonly { sample: 'epd.yaml' | 'pd.yaml'; topologies: readonly Topology[] }[] = [
  {
    sample: 'epd.yaml',
    topologies: [
      {
        name: 'encode, prefill and decode workers',
        roles: ['encode', 'prefill', 'decode'],
        expected: { short: LOCAL, cold: PREFILLED, again: LOCAL, image: BOTH },
      },
      {
        name: 'encode workers, and others that prefill what they decode',
        roles: ['encode', 'decode'],
        expected: { short: LOCAL, cold: LOCAL, again: LOCAL, image: ENCODED },
      },
    ],
  },
  {
    sample: 'pd.yaml',
    topologies: [
      {
        name: 'prefill and decode workers',
        roles: ['prefill', 'decode'],
        expected: { short: LOCAL, cold: PREFILLED, again: LOCAL, image: PREFILLED },
      },
      {
        name: 'decode workers alone',
        roles: ['decode'],
        expected: { short: LOCAL, cold: LOCAL, again: LOCAL, image: LOCAL },
      },
    ],
  },
];

const QUESTIONS: readonly { question: Question; what: string; content: (topology: string) => unknown }[] = [
  { question: 'short', what: 'a short prompt', content: () => SHORT },
  { question: 'cold', what: 'a long cold prompt', content: cold },
  { question: 'again', what: 'the same prompt once more', content: cold },
  { question: 'image', what: 'an image', content: (name) => withImage(`${name} seen`) },
];

withEnvoy.each(SAMPLES)('client, Envoy, picker as config/epp/$sample has it, sidecar', ({ sample, topologies }) => {
  let stack: SidecarStack;
  beforeAll(async () => {
    stack = await startSidecarStack({ sample });
  });
  afterAll(() => stack.stop());

  describe.each(topologies)('before $name', ({ name, roles, expected }) => {
    beforeAll(() => stack.list(stack.workers.filter(({ role }) => roles.some((own) => own === role))));

    it.each(QUESTIONS)('run $what where it is to run, and count it so', async ({ question, content }) => {
      const [wanted, decision, made] = expected[question];
      const decided = () => stack.picked('llm_d_epp_disagg_decision_total', { decision_type: decision });
      const ran = () => stack.counted('disagg_requests_total', made === undefined ? {} : { disagg_type: made });
      const before = [await decided(), await ran()] as const;
      const asked = await ask(stack, `${name} ${question}`.replaceAll(/[ ,]+/g, '-'), content(name));
      expect([asked.status, phases(asked)]).toEqual([200, wanted]);
      expect(asked.text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(asked.calls.map(({ status }) => status)).toEqual(asked.calls.map(() => 200));
      // the picker counts when it has answered, the sidecar when its answer has left
      await eventually(async () => (await decided()) === before[0] + 1);
      await eventually(async () => (await ran()) === before[1] + (made === undefined ? 0 : 1));
    });
  });

  it('let the picker see the engine through the sidecar, and pass on what is no inference', async () => {
    const page = await (await fetch(`${stack.sidecar.url}/metrics`)).text();
    expect(page).toContain('vllm:num_requests_running');
    const models = await fetch(`${stack.url}/v1/models`);
    expect([models.status, await models.json()]).toMatchObject([200, { data: [{ id: 'sim-model' }] }]);
  });
});
