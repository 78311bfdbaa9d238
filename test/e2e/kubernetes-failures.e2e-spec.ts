import { expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import { KubernetesStage, LABELS, sees, withKubernetes } from './support/kubernetes.stage.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

withKubernetes('the picker and a real API server: failures', () => {
  const stage = KubernetesStage.use();

  it('serves what it knows while the server is away, and learns what has changed when it is back', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000');
    await stage.server.kill();
    await eventually(() => picker.process.output.includes(`ECONNREFUSED 127.0.0.1:${stage.server.port}`));
    expect([await picker.health(), await picker.pick()]).toEqual(['SERVING', '127.0.0.11:8000']);
    await stage.server.run();
    expect(await picker.endpoints()).toEqual(['127.0.0.11:8000']);
    await stage.pod('b', '127.0.0.12');
    const both = (): Promise<void> => sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
    // where the server took long, the picker is in the longest of its pauses, which is as long as one is waited here
    await both().catch(both);
    await stage.namespace.pool('vllm', LABELS, [9000]);
    await sees(picker, '127.0.0.11:9000', '127.0.0.12:9000');
  });

  it('waits for a server that is not there yet', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const relay = await stage.relay();
    relay.cut();
    const picker = await stage.picker({ url: relay.url });
    expect(await picker.health()).toBe('NOT_SERVING');
    relay.mend();
    await sees(picker, '127.0.0.11:8000');
    expect(await picker.health()).toBe('SERVING');
  });

  it('goes on from where it was when connections break', async () => {
    const relay = await stage.relay();
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    await stage.pod('b', '127.0.0.12');
    const picker = await stage.picker({ url: relay.url });
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
    relay.cut();
    await stage.namespace.removePod('a');
    await stage.pod('c', '127.0.0.13');
    expect(await picker.endpoints()).toEqual(['127.0.0.11:8000', '127.0.0.12:8000']);
    relay.mend();
    await sees(picker, '127.0.0.12:8000', '127.0.0.13:8000');
  });

  it('lists anew when the server no longer has the version that it knows', async () => {
    const relay = await stage.relay();
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    await stage.pod('b', '127.0.0.12');
    const picker = await stage.picker({ url: relay.url });
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
    const known = await stage.namespace.podVersion('b');
    relay.cut();
    await stage.namespace.removePod('a');
    await stage.pod('c', '127.0.0.13');
    await stage.namespace.pool('vllm', LABELS, [9000]);
    // neither the storage nor the memory of the server has what came between
    await stage.server.compact();
    await stage.server.kill();
    await stage.server.run();
    const watch = `/api/v1/namespaces/${stage.namespace.name}/pods?watch=true&timeoutSeconds=1&resourceVersion=${known}`;
    expect((await stage.server.api.ask('GET', watch)).body).toContain('"code":410');
    expect(await picker.endpoints()).toEqual(['127.0.0.11:8000', '127.0.0.12:8000']);
    relay.mend();
    await sees(picker, '127.0.0.12:9000', '127.0.0.13:9000');
  });
});
