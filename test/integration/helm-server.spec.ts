import { describe, expect, it, jest } from '@jest/globals';
import { decodePods } from './decode-pod.ts';
import { CASES } from './helm.cases.ts';
import { NAMESPACE, hasHelm, rendered } from './helm.chart.ts';
import { kubernetesSchemas } from './kubernetes-schemas.ts';
import { ManifestServer, withServer } from './manifest.server.ts';
import { only, podsOf } from './manifests.ts';

// the API server is started, and the machine may be busy
jest.setTimeout(120_000);

const withHelm = hasHelm ? describe : describe.skip;
const onServer = hasHelm ? withServer : describe.skip;

onServer('the chart and a real API server', () => {
  const server = ManifestServer.use(NAMESPACE);

  it.each(Object.entries(CASES))('%s: every object is taken, with every field', async (_, values) => {
    for (const object of await rendered(values)) await server.accept(object);
  });

  it.each(Object.entries(CASES))('%s: every pod keeps to the restricted standard', async (_, values) => {
    const objects = await rendered(values);
    const pods = [...podsOf(objects), ...decodePods(objects)];
    expect(pods.length).toBeGreaterThan(2);
    for (const pod of pods) await server.acceptPod(pod);
  });

  it('refuses a field that there is not, and a pod that may do more', async () => {
    const objects = await rendered({});
    const service = only(objects, 'Service', 'llm-d-coordinator');
    await expect(server.accept({ ...service, spec: { prots: [] } })).rejects.toThrow('prots');
    const [pod] = podsOf(objects);
    if (pod === undefined) throw new Error('there is no pod');
    const loose = { ...pod, spec: { ...pod.spec, hostNetwork: true } };
    await expect(server.acceptPod(loose)).rejects.toThrow('restricted');
  });
});

withHelm.each(kubernetesSchemas())('the chart and the schemas of Kubernetes %s', (_, fault) => {
  it.each(Object.entries(CASES))('%s: every object is valid', async (_case, values) => {
    const faults = (await rendered(values)).map(fault).filter((text) => text !== undefined);
    expect(faults).toEqual([]);
  });

  it('are strict: an unknown field, a wrong type and a wrong port are faults', async () => {
    const service = only(await rendered({}), 'Service', 'llm-d-coordinator');
    expect(fault({ ...service, spec: { prots: [] } })).toContain('prots');
    expect(fault({ ...service, spec: { ports: 8080 } })).toContain('spec.ports');
    expect(fault({ ...service, spec: { ports: [{ port: 'http' }] } })).toContain('spec.ports[0].port');
  });
});
