import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { variablesOf } from '#config';
import { BUILT_IN_STEPS } from '#steps';
import { coordinatorConfig, stepsOf } from '../../apps/coordinator/src/coordinator.config.ts';
import { chartFile, hasHelm, rendered } from './helm.chart.ts';
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

describe('sizes in docs/deploy.md', () => {
  const REQUESTS = z.object({ cpu: z.string(), memory: z.string() });
  const sized = z.looseObject({
    resources: z.object({ requests: REQUESTS, limits: z.object({ memory: z.string() }) }),
  });

  it.each([
    { row: 'coordinator', value: 'coordinator' },
    { row: 'picker, up to 100 pods behind it', value: 'picker' },
    { row: 'sidecar', value: 'sidecar' },
    { row: 'async worker', value: 'asyncWorker' },
  ])('of $row are those of the chart', ({ row, value }) => {
    const line = textOf('deploy.md')
      .split('\n')
      .find((text) => text.startsWith(`| ${row} `));
    const [, cpu = '', memory = '', limit = ''] =
      /^\| [^|]+\| ([\d.]+) CPU, (\d+ [MG]iB), at most (\d+ [MG]iB) +\|/.exec(line ?? '') ?? [];
    const all = z.looseObject({ [value]: sized }).parse(chartFile('values.yaml'));
    const { requests, limits } = sized.parse(all[value]).resources;
    const cores = requests.cpu.endsWith('m') ? Number(requests.cpu.slice(0, -1)) / 1000 : Number(requests.cpu);
    const inWords = (quantity: string): string => quantity.replace(/([MG])i$/, ' $1iB');
    expect([Number(cpu), memory, limit]).toEqual([cores, inWords(requests.memory), inWords(limits.memory)]);
  });
});

describe('alerts in docs/deploy.md', () => {
  it('are alerts that there are', () => {
    const named = [...textOf('deploy.md').matchAll(/`((?:Coordinator|Picker|Sidecar|AsyncWorker)[A-Z]\w+)`/g)];
    expect(named.length).toBeGreaterThan(8);
    const rules = readdirSync(new URL('../dashboards/alerts/', DOCS))
      .filter((name) => name.endsWith('.rules.yaml'))
      .map((name) => textOf(`../dashboards/alerts/${name}`))
      .join('');
    for (const [, name = ''] of named) expect([name, rules.includes(`- alert: ${name}\n`)]).toEqual([name, true]);
  });

  it('that wake somebody are critical', () => {
    const table = /## What to alert on\n(.*?)\n## /s.exec(textOf('deploy.md'))?.[1] ?? '';
    const named = [...table.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(named).not.toHaveLength(0);
    const text = ['coordinator', 'picker', 'sidecar', 'async-worker']
      .map((name) => textOf(`../dashboards/alerts/${name}.rules.yaml`))
      .join('');
    for (const name of named) {
      const rules = text.split('- alert: ').filter((rule) => rule.startsWith(`${name}\n`));
      expect([name, rules.some((rule) => rule.includes('severity: critical'))]).toEqual([name, true]);
    }
  });
});

describe('topologies of docs/deploy.md', () => {
  it('name every overlay', () => {
    for (const overlay of OVERLAYS) expect(textOf('deploy.md')).toContain(`\`${overlay}\``);
  });
});
