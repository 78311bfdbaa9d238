import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { variablesOf } from '#config';
import { BUILT_IN_STEPS } from '#steps';
import { coordinatorConfig, stepsOf } from '../../apps/coordinator/src/coordinator.config.ts';
import { hasHelm, rendered } from './helm.chart.ts';
import { OVERLAYS } from './kustomize.build.ts';
import { ManifestServer, withServer } from './manifest.server.ts';
import { objectsIn } from './manifests.ts';

// the API server is started, and the machine may be busy
jest.setTimeout(120_000);

const DOCS = new URL('../../docs/', import.meta.url);
const PAGES = ['deploy.md', 'migrate-from-llm-d.md', '../config/helm/README.md'];
const withHelm = hasHelm ? describe : describe.skip;

const blocks = [...textOf('deploy.md').matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
const manifests = blocks.filter((text) => /^kind: Gateway$/m.test(text));
const values = blocks.filter((text) => !text.includes('apiVersion:'));

function textOf(page: string): string {
  return readFileSync(new URL(page, DOCS), 'utf8');
}

describe.each(PAGES)('docs/%s', (page) => {
  it('leads to files that there are', () => {
    const links = [...textOf(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
    expect(links).not.toHaveLength(0);
    for (const link of links) expect([link, existsSync(new URL(link, new URL(page, DOCS)))]).toEqual([link, true]);
  });

  it('names variables of the coordinator that there are', () => {
    const known = [...variablesOf(coordinatorConfig(stepsOf(BUILT_IN_STEPS)), 'COORDINATOR').values()];
    const named = [...textOf(page).matchAll(/COORDINATOR_\w+/g)].map(([name]) => name);
    expect(known).toEqual(expect.arrayContaining(named));
  });
});

withServer('manifests of docs/deploy.md', () => {
  const server = ManifestServer.use('docs');

  it('are taken by a real API server', async () => {
    expect(manifests).not.toHaveLength(0);
    for (const object of manifests.flatMap(objectsIn)) await server.accept(object);
  });
});

withHelm('values of docs/deploy.md', () => {
  it('are taken by the chart', async () => {
    expect(values).not.toHaveLength(0);
    for (const text of values) await rendered(z.looseObject({}).parse(parse(text)));
  });
});

describe('topologies of docs/deploy.md', () => {
  it('name every overlay', () => {
    for (const overlay of OVERLAYS) expect(textOf('deploy.md')).toContain(`\`${overlay}\``);
  });
});
