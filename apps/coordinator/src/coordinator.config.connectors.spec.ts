import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadCoordinatorConfig } from './coordinator.config.ts';

const PAIR = 'prefill-decode: kv_connector';

/** What is refused (`coordinator.md` C.8, D.1, `docs/decisions/0014`), and the words that lead to the place. */
const REFUSED: readonly (readonly [deployment: string, steps: string, ...words: string[]])[] = [
  [
    'kv-nixl',
    '[{type: prefill-decode}]',
    'pipeline.steps[0]',
    `${PAIR} "kv-nixl" sends prefill and decode one after the other; use the "prefill" and "decode" steps`,
  ],
  ['""', '[{type: prefill-decode}]', `${PAIR} "kv-shared-storage" sends prefill and decode one after the other`],
  [
    'kv-sglang',
    '[{type: prefill-decode, params: {kv_connector: kv-nixl}}]',
    'pipeline.steps[0].params.kv_connector',
    `${PAIR} "kv-nixl"`,
  ],
  [
    'kv-sglang',
    '[{type: prefill}, {type: decode}, {type: prefill-decode}]',
    'pipeline.steps[0]',
    'prefill: kv_connector "kv-sglang"',
    'pipeline.steps[1]',
    ' decode: kv_connector "kv-sglang"',
    'use the "prefill-decode" step',
  ],
  ['kv-other', '[{type: prefill-decode}]', 'pipeline.kv_connector', 'unknown kv_connector: "kv-other"'],
  [
    'kv-sglang',
    '[{type: prefill-decode, params: {use_openai_format: "false"}}]',
    'pipeline.steps[0].params.use_openai_format',
  ],
  [
    'kv-sglang',
    '[{type: prefill-decode, params: {use_openai_format: false}}]',
    'pipeline.steps[0].params.use_openai_format',
    'requires a "render" step',
  ],
];

describe('the KV connectors of loadCoordinatorConfig', () => {
  let folder = '';
  let count = 0;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coordinator-connectors-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** The warnings, of a configuration that is taken. */
  async function warningsOf(deployment: string, steps: string, env = {}): Promise<readonly string[]> {
    const file = join(folder, `${++count}.yaml`);
    writeFileSync(
      file,
      `gateway: {address: http://gateway}\npipeline: {kv_connector: ${deployment}, steps: ${steps}}\n`,
    );
    return (await loadCoordinatorConfig({ file, env, envPrefix: 'COORDINATOR' })).warnings;
  }

  it.each(REFUSED)('refuse, with %s for the deployment, the steps %s', async (deployment, steps, ...words) => {
    const refusal = await warningsOf(deployment, steps).then(
      () => 'it was taken',
      (error: unknown) => String(error),
    );
    for (const word of words) expect(refusal).toContain(word);
  });

  it.each([
    ['kv-sglang', '[{type: prefill-decode}]'],
    ['kv-nixl', '[{type: prefill-decode, params: {kv_connector: kv-sglang}}]'],
    ['kv-nixl', '[{type: prefill}, {type: decode}]'],
  ])('are taken, with %s for the deployment, in the steps %s', async (deployment, steps) => {
    expect(await warningsOf(deployment, steps)).toEqual([]);
  });

  it('are taken from a variable over the file', async () => {
    const env = { COORDINATOR_PIPELINE_KV_CONNECTOR: 'kv-sglang' };
    expect(await warningsOf('kv-nixl', '[{type: prefill-decode}]', env)).toEqual([]);
  });

  it('warn once of kv-sglang where prefill and decode are steps of their own, and name the step for it', async () => {
    expect(await warningsOf('kv-sglang', '[{type: prefill}, {type: decode}]')).toEqual([
      expect.stringContaining('the "prefill-decode" step'),
    ]);
  });
});
