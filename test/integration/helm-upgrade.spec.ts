import { describe, expect, it, jest } from '@jest/globals';
import { NAMESPACE, hasHelm, installed } from './helm.chart.ts';
import type { Values } from './helm.chart.ts';
import { ManifestServer, withServer } from './manifest.server.ts';

// the API server is started, and Helm asks it a lot
jest.setTimeout(120_000);

const onServer = hasHelm ? withServer : describe.skip;
const MONITORED = { dashboards: { enabled: true }, rules: { enabled: true } };

onServer('a release on a real API server', () => {
  const server = ManifestServer.use(NAMESPACE);

  function upgraded(values: Values): Promise<void> {
    return installed(server.kubeconfig(), values);
  }

  async function generation(name: string): Promise<unknown> {
    return (await server.read('apps/v1', 'Deployment', name)).metadata['generation'];
  }

  it('is made, and has pods replaced by a change of their configuration alone', async () => {
    await upgraded({ monitoring: MONITORED });
    expect([await generation('llm-d-coordinator'), await generation('llm-d-picker')]).toEqual([1, 1]);
    await upgraded({ monitoring: MONITORED });
    expect([await generation('llm-d-coordinator'), await generation('llm-d-picker')]).toEqual([1, 1]);
    await upgraded({ coordinator: { config: { log_level: 3 } }, monitoring: MONITORED });
    expect([await generation('llm-d-coordinator'), await generation('llm-d-picker')]).toEqual([2, 1]);
  });

  it('goes from each topology to each other, and takes away what is no part of it', async () => {
    const order = ['profiles', 'roles', 'sidecar', 'profiles', 'sidecar', 'roles', 'profiles'];
    for (const mode of order) await upgraded({ picker: { mode } });
    expect(await generation('llm-d-picker')).toBe(1);
    await expect(server.read('apps/v1', 'Deployment', 'llm-d-picker-encode')).rejects.toThrow('404');
    await expect(server.read('v1', 'ConfigMap', 'llm-d-sidecar-config')).rejects.toThrow('404');
  });

  it('leaves the number of replicas to the autoscaler', async () => {
    const values = { coordinator: { autoscaling: { enabled: true } } };
    await upgraded(values);
    await server.scale('llm-d-coordinator', 7);
    await upgraded({ coordinator: { ...values.coordinator, config: { log_level: 1 } } });
    expect((await server.read('apps/v1', 'Deployment', 'llm-d-coordinator'))['spec']).toMatchObject({ replicas: 7 });
  });
});
