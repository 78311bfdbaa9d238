import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CASES, QUEUED } from './helm.cases.ts';
import { CHART, chartFile, hasHelm, lint, rendered } from './helm.chart.ts';
import { titleOf } from './manifests.ts';

const withHelm = hasHelm ? describe : describe.skip;
const OTHER_LISTENER = { clients: { parentRefs: [{ name: 'one' }] }, phases: { parentRefs: [{ name: 'one' }] } };

withHelm.each(Object.entries(CASES))('the chart %s', (_, values) => {
  it('is what Helm likes', async () => {
    expect(await lint(values)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it.each(['1.33.0', '1.34.0', '1.35.0', '1.36.0'])('is made for Kubernetes %s, each object once', async (version) => {
    const titles = (await rendered(values, version)).map(titleOf);
    expect(titles.length).toBeGreaterThan(5);
    expect(titles).toEqual([...new Set(titles)]);
  });

  it('has no object without the labels of the release', async () => {
    for (const { metadata } of await rendered(values)) {
      expect(metadata['labels']).toMatchObject({
        'app.kubernetes.io/part-of': 'inference-coordinator',
        'app.kubernetes.io/instance': 'llm-d',
      });
    }
  });
});

withHelm('listeners', () => {
  const section = (sectionName: string) => ({ name: 'one', sectionName });

  it.each([
    { clients: { name: 'one' }, phases: { name: 'one' }, isShared: true },
    { clients: section('a'), phases: section('a'), isShared: true },
    { clients: section('a'), phases: section('b'), isShared: false },
    // a route without a section is at all listeners
    { clients: section('a'), phases: { name: 'one' }, isShared: true },
    { clients: { name: 'one' }, phases: section('b'), isShared: true },
    { clients: { name: 'one' }, phases: { name: 'two' }, isShared: false },
    { clients: section('a'), phases: { kind: 'Gateway', namespace: 'inference', ...section('a') }, isShared: true },
    { clients: { name: 'one', port: 80 }, phases: { name: 'one', port: 81 }, isShared: false },
    { clients: { name: 'one', namespace: 'a' }, phases: { name: 'one', namespace: 'b' }, isShared: false },
  ])('$clients for clients and $phases for phases: shared is $isShared', async ({ clients, phases, isShared }) => {
    const values = { gateway: { clients: { parentRefs: [clients] }, phases: { parentRefs: [phases] } } };
    const outcome = await rendered(values).catch((error: unknown) => String(error));
    expect(typeof outcome === 'string' && outcome.includes('allowSharedListener')).toBe(isShared);
  });
});

withHelm('values of the chart', () => {
  it.each([
    { what: 'a key that there is not', values: { coordinatr: {} }, says: 'coordinatr' },
    { what: 'one below', values: { coordinator: { replica: 3 } }, says: 'replica' },
    { what: 'another mode', values: { picker: { mode: 'many' } }, says: '/picker/mode' },
    {
      what: 'a key of the configuration that there is not',
      values: { coordinator: { config: { server: { drain_dely: '5s' } } } },
      says: 'drain_dely',
    },
    {
      what: 'a parameter of a step that there is not',
      values: { coordinator: { config: { pipeline: { steps: [{ type: 'decode', params: { x: 1 } }] } } } },
      says: 'steps/0',
    },
    { what: 'one listener for clients and phases', values: { gateway: OTHER_LISTENER }, says: 'allowSharedListener' },
    {
      what: 'scaling by nothing',
      values: { coordinator: { autoscaling: { enabled: true, cpuUtilization: 0 } } },
      says: 'requestsInFlight',
    },
    {
      what: 'more replicas at least than at most',
      values: { coordinator: { autoscaling: { enabled: true, minReplicas: 11 } } },
      says: 'minReplicas',
    },
    {
      what: 'a worker scaled by nothing',
      values: { asyncWorker: { autoscaling: { enabled: true, cpuUtilization: 0 } } },
      says: 'queueDepth',
    },
    { what: 'a worker with nothing to take', values: { asyncWorker: { enabled: true } }, says: 'async-broker' },
    { what: 'a worker without Redis', values: { ...QUEUED, redis: {} }, says: 'redis.url' },
    {
      what: 'a key of the worker that there is not',
      values: { asyncWorker: { config: { worker: { concurency: 3 } } } },
      says: 'concurency',
    },
    { what: 'a render without a version', values: { render: { mode: 'bundled' } }, says: 'render.image' },
    {
      what: 'a render without a model',
      values: { render: { mode: 'bundled', image: { tag: 'v0.20.0' } } },
      says: 'render.model',
    },
    { what: 'an older Kubernetes', values: {}, version: '1.32.9', says: 'kubeVersion' },
  ])('are refused with $what, by name', async ({ values, version, says }) => {
    await expect(rendered(values, version)).rejects.toThrow(says);
  });

  it('may have steps of modules of their own', async () => {
    const pipeline = { modules: ['./steps.js'], steps: [{ type: 'mine', params: { x: 1 } }, { type: 'decode' }] };
    expect(await rendered({ coordinator: { config: { pipeline } } })).not.toHaveLength(0);
  });
});

describe('Chart.yaml', () => {
  it('has the version of the package', () => {
    const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    // npm's own file
    const { version } = JSON.parse(file) as { version: string };
    expect(chartFile('Chart.yaml')).toMatchObject({ version, appVersion: version });
  });

  it('names no registry in the values', () => {
    const repositories = [...readFileSync(`${CHART}values.yaml`, 'utf8').matchAll(/^ +repository: (.*)$/gm)];
    expect(repositories).toHaveLength(5);
    for (const [, repository = ''] of repositories) expect(repository).toMatch(/^[a-z-]+\/[a-z-]+$/);
  });
});
