import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { Objectives } from '../objectives.ts';
import { anObjective, FakeKind, FakeKubeApi } from './fake-kube-api.fixture.ts';
import { KubernetesObjectives } from './kubernetes.objectives.ts';

const onEnd = cleanup();
const POOL = { kind: 'pool', name: 'pool', namespace: 'ns', group: 'inference.networking.k8s.io' } as const;

beforeAll(() => {
  Logger.overrideLogger(false);
});

/** What is found, once a change of it has come through. */
class Watched extends Objectives {
  private changed: () => void = () => undefined;

  override replace(found: ReadonlyMap<string, number>): void {
    super.replace(found);
    this.changed();
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve;
    });
  }
}

async function watching(kind: FakeKind | undefined) {
  const api = await FakeKubeApi.start();
  api.objectives = kind;
  const objectives = new Watched({ given: -7 });
  const source = new KubernetesObjectives(POOL, {
    config: await api.config(),
    times: { firstPause: 1, longestPause: 1 },
  });
  onEnd(async () => {
    await source.close();
    await api.close();
  });
  return { api, source, objectives };
}

describe('KubernetesObjectives', () => {
  it('have the priorities of the objectives for the pool, or for none in particular', async () => {
    const kind = new FakeKind();
    kind.objects = [
      anObjective('batch', -1, 'pool'),
      anObjective('any', 3),
      anObjective('usual', undefined, 'pool'),
      anObjective('theirs', -9, 'another'),
    ];
    const { source, objectives, api } = await watching(kind);
    const listed = objectives.next();
    await source.start(objectives);
    await listed;
    expect(['batch', 'any', 'usual', 'theirs', 'given'].map((name) => objectives.priorityOf(name))).toEqual([
      -1, 3, 0, 0, -7,
    ]);
    expect(api.paths[0]).toBe('/apis/llm-d.ai/v1alpha2/namespaces/ns/inferenceobjectives');
  });

  it('follow what is added, changed and deleted', async () => {
    const kind = new FakeKind();
    const { source, objectives } = await watching(kind);
    await source.start(objectives);
    const watch = await kind.watch(0);
    for (const [type, priority] of [
      ['ADDED', -1],
      ['MODIFIED', -2],
      ['DELETED', 0],
    ] as const) {
      const changed = objectives.next();
      watch.send(type, anObjective('batch', priority));
      await changed;
      expect(objectives.priorityOf('batch')).toBe(priority);
    }
  });

  it('leave what is given where the cluster does not know the kind, and find it when it does', async () => {
    const { source, objectives, api } = await watching(undefined);
    await source.start(objectives);
    while (api.paths.length < 3) await new Promise(setImmediate);
    expect(objectives.priorityOf('given')).toBe(-7);
    const found = objectives.next();
    const kind = new FakeKind();
    kind.objects = [anObjective('given', 1)];
    api.objectives = kind;
    await found;
    expect(objectives.priorityOf('given')).toBe(1);
  });
});
