import { expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import {
  KubernetesStage,
  LABELS,
  SEE_BOTH,
  SEE_PODS,
  SEE_POOLS,
  sees,
  UNAVAILABLE,
  withKubernetes,
} from './support/kubernetes.stage.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

/** That objectives may not be seen is said as well, and keeps nobody from serving. */
const refusal = (resource: string): RegExp => new RegExp(`Kubernetes answered 403 for /\\S+/${resource}\\b`);

withKubernetes('the picker and a real API server: what its account may do', () => {
  const stage = KubernetesStage.use();

  it('needs to list and watch one pool, and pods, and no more', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    const verbs = ['list', 'watch'];
    const rules = [
      { ...SEE_POOLS, verbs, resourceNames: ['vllm'] },
      { ...SEE_PODS, verbs },
    ];
    const picker = await stage.picker({ rules });
    await eventually(async () => (await picker.health()) === 'SERVING');
    await stage.pod('a', '127.0.0.11');
    await sees(picker, '127.0.0.11:8000');
    expect(picker.process.output).not.toMatch(refusal('pods'));
    expect(picker.process.output).not.toMatch(refusal('inferencepools'));
  });

  it.each([
    { what: 'pools', rules: [SEE_PODS], resource: 'inferencepools' },
    { what: 'pods', rules: [SEE_POOLS], resource: 'pods' },
  ])('says that it may not see $what, and serves as soon as it may', async ({ rules, resource }) => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker({ rules });
    await eventually(() => refusal(resource).test(picker.process.output));
    expect(picker.process.output).toContain(`cannot list resource \\"${resource}\\"`);
    expect([await picker.health(), await picker.pick()]).toEqual(['NOT_SERVING', UNAVAILABLE]);
    expect(await picker.endpoints()).toEqual([]);
    await stage.namespace.access('picker', SEE_BOTH);
    await sees(picker, '127.0.0.11:8000');
    expect(await picker.health()).toBe('SERVING');
  });

  it('follows what it may list and not watch', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker({ rules: [SEE_POOLS, { ...SEE_PODS, verbs: ['list'] }] });
    await sees(picker, '127.0.0.11:8000');
    await stage.pod('b', '127.0.0.12');
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
    expect(picker.process.output).toMatch(refusal('pods'));
  });

  it('serves what it knows when the right is taken away', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const relay = await stage.relay();
    const picker = await stage.picker({ url: relay.url });
    await sees(picker, '127.0.0.11:8000');
    await stage.namespace.access('picker', []);
    // a watch that is open is not looked at again
    relay.cut();
    relay.mend();
    await eventually(() => refusal('pods').test(picker.process.output));
    expect([await picker.health(), await picker.pick()]).toEqual(['SERVING', '127.0.0.11:8000']);
    await stage.namespace.access('picker', SEE_BOTH);
    await stage.pod('b', '127.0.0.12');
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
  });

  it('is not healthy with a token that nobody knows', async () => {
    const picker = await stage.picker({ token: 'nonsense' });
    await eventually(() => picker.process.output.includes('Kubernetes answered 401'));
    expect([await picker.health(), await picker.pick()]).toEqual(['NOT_SERVING', UNAVAILABLE]);
    expect(picker.process.output).not.toContain('nonsense');
  });
});
