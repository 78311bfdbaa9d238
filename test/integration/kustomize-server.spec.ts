import { describe, expect, it, jest } from '@jest/globals';
import { kubernetesSchemas } from './kubernetes-schemas.ts';
import { OVERLAYS, built, hasKustomize } from './kustomize.build.ts';
import { ManifestServer, withServer } from './manifest.server.ts';
import { podsOf } from './manifests.ts';

// the API server is started, and the machine may be busy
jest.setTimeout(120_000);

const withKustomize = hasKustomize ? describe : describe.skip;
const onServer = hasKustomize ? withServer : describe.skip;
const ALL = ['base', ...OVERLAYS];

onServer('kustomizations and a real API server', () => {
  const server = ManifestServer.use('llm-d');

  it.each(ALL)('%s: every object is taken, with every field', async (path) => {
    for (const object of await built(path)) await server.accept(object);
  });

  it.each(ALL)('%s: every pod keeps to the restricted standard', async (path) => {
    for (const pod of podsOf(await built(path))) await server.acceptPod(pod);
  });
});

withKustomize.each(kubernetesSchemas())('kustomizations and the schemas of Kubernetes %s', (_, fault) => {
  it.each(ALL)('%s: every object is valid', async (path) => {
    expect((await built(path)).map(fault).filter((text) => text !== undefined)).toEqual([]);
  });
});
