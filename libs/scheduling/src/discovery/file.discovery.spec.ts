import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanup } from '#testing';
import { EndpointStore } from '../endpoint.store.ts';
import type { PluginContext } from '../plugin.ts';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { FileDiscovery } from './file.discovery.ts';
import { StaticDiscovery } from './static.discovery.ts';

const onEnd = cleanup();
const errors: unknown[] = [];

beforeAll(() => {
  const silent = (): void => undefined;
  Logger.overrideLogger({ log: silent, warn: silent, error: (message: unknown) => errors.push(message) });
});

const entry = (name: string): string => `- {name: ${name}, address: 10.0.0.1, port: "8000"}\n`;
const list = (...names: string[]): string =>
  `endpoints:${names.length === 0 ? ' []' : ''}\n${names.map(entry).join('')}`;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'endpoints-'));
  onEnd(() => rm(path, { recursive: true }));
  return path;
}

async function fileWith(text: string): Promise<string> {
  const path = join(await folder(), 'endpoints.yaml');
  await writeFile(path, text);
  return path;
}

async function started(path: string, watchFile = false): Promise<EndpointStore> {
  const endpoints = new EndpointStore();
  const context: Pick<PluginContext, 'name'> = { name: 'file-discovery' };
  // it does not ask its context for anything
  const discovery = new FileDiscovery({ path, watchFile }, context as PluginContext, 5);
  await discovery.start(endpoints);
  onEnd(() => discovery.close());
  return endpoints;
}

const namesIn = (endpoints: EndpointStore): string[] => endpoints.all().map(({ endpoint }) => endpoint.name);

/** Done when the endpoints are these; the test's own limit ends it otherwise. */
async function untilThere(endpoints: EndpointStore, ...names: string[]): Promise<void> {
  while (namesIn(endpoints).join() !== names.join()) await delay(2);
}

describe('FileDiscovery at start', () => {
  it.each([
    {
      what: 'YAML',
      text: 'endpoints:\n- name: a\n  namespace: ns\n  address: 10.0.0.1\n  port: "8000"\n  labels: {llm-d.ai/role: decode}\n',
    },
    {
      what: 'JSON',
      text: '{"endpoints":[{"name":"a","namespace":"ns","address":"10.0.0.1","port":"8000","labels":{"llm-d.ai/role":"decode"}}]}',
    },
  ])('reads $what', async ({ text }) => {
    const endpoints = await started(await fileWith(text));
    expect(endpoints.get('ns/a')?.endpoint).toEqual({
      id: 'ns/a',
      namespace: 'ns',
      name: 'a',
      address: '10.0.0.1',
      port: 8000,
      labels: { 'llm-d.ai/role': 'decode' },
    });
  });

  it.each(['worker-0.workers.svc.cluster.local', 'localhost', 'fd00::1'])('takes the address %s', async (address) => {
    const endpoints = await started(await fileWith(`endpoints: [{name: a, address: "${address}", port: 8000}]`));
    expect(endpoints.get('default/a')?.endpoint).toMatchObject({ address, port: 8000, namespace: 'default' });
  });

  it('says that there are none where the list is empty', async () => {
    const endpoints = await started(await fileWith('endpoints: []'));
    expect(endpoints.isSynced).toBe(true);
    expect(endpoints.size).toBe(0);
  });

  it('reads a long list', async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `worker-${index}`);
    expect(namesIn(await started(await fileWith(list(...names))))).toEqual(names);
  });

  it.each([
    { what: 'no list', text: 'other: 1' },
    { what: 'no object', text: '- 1' },
    { what: 'an empty file', text: '' },
    { what: 'what is no YAML', text: 'endpoints: [' },
    { what: 'a long text that is no YAML', text: `endpoints: [\n${'# x\n'.repeat(2000)}` },
    { what: 'more than 1 MiB', text: `endpoints: []\n${'#'.repeat(1024 * 1024)}` },
    { what: 'an unknown field', text: 'endpoints: [{name: a, address: 10.0.0.1, port: 1, label: {}}]' },
    { what: 'no name', text: 'endpoints: [{address: 10.0.0.1, port: 1}]' },
    { what: 'a bad address', text: 'endpoints: [{name: a, address: 10.0.0.300, port: 1}]' },
    { what: 'an address with a port', text: 'endpoints: [{name: a, address: "10.0.0.1:1", port: 1}]' },
    { what: 'the port 0', text: 'endpoints: [{name: a, address: 10.0.0.1, port: 0}]' },
    { what: 'the port 65536', text: 'endpoints: [{name: a, address: 10.0.0.1, port: "65536"}]' },
    { what: 'a port that is none', text: 'endpoints: [{name: a, address: 10.0.0.1, port: http}]' },
    { what: 'a name that comes twice', text: list('a', 'a') },
    { what: 'one bad entry among good ones', text: `${list('a')}- {name: b}\n` },
  ])('fails with $what', async ({ text }) => {
    await expect(started(await fileWith(text))).rejects.toThrow();
  });

  it('fails without the file', async () => {
    await expect(started(join(await folder(), 'no.yaml'))).rejects.toThrow('ENOENT');
  });

  it.each([undefined, {}, { path: '' }, { path: 'a', watch: true }])('refuses the parameters %j', (parameters) => {
    expect(pluginMetadata(FileDiscovery).parameters.safeParse(parameters).success).toBe(false);
  });
});

describe('FileDiscovery later on', () => {
  it('follows edits', async () => {
    const path = await fileWith(list('a'));
    const endpoints = await started(path, true);
    await writeFile(path, list('a', 'b'));
    await untilThere(endpoints, 'a', 'b');
    await writeFile(path, list('b'));
    await untilThere(endpoints, 'b');
  });

  it('follows a file that is put in its place', async () => {
    const path = await fileWith(list('a'));
    const endpoints = await started(path, true);
    await writeFile(`${path}.new`, list('b'));
    await rename(`${path}.new`, path);
    await untilThere(endpoints, 'b');
  });

  it('follows links as ConfigMaps swap them', async () => {
    const path = await folder();
    const [one, two] = [await folder(), await folder()];
    await writeFile(join(one, 'endpoints.yaml'), list('a'));
    await writeFile(join(two, 'endpoints.yaml'), list('b'));
    await symlink(one, join(path, '..data'));
    await symlink(join('..data', 'endpoints.yaml'), join(path, 'endpoints.yaml'));
    const endpoints = await started(join(path, 'endpoints.yaml'), true);
    expect(namesIn(endpoints)).toEqual(['a']);
    await symlink(two, join(path, '..data_tmp'));
    await rename(join(path, '..data_tmp'), join(path, '..data'));
    await untilThere(endpoints, 'b');
  });

  it.each([
    { what: 'is no YAML', text: 'endpoints: [' },
    { what: 'is no list', text: 'other: 1' },
    { what: 'is too long', text: '#'.repeat(1024 * 1024 + 1) },
  ])('keeps what it has while the file $what', async ({ text }) => {
    const path = await fileWith(list('a'));
    const endpoints = await started(path, true);
    const before = errors.length;
    await writeFile(path, text);
    while (errors.length === before) await delay(2);
    expect(namesIn(endpoints)).toEqual(['a']);
    await writeFile(path, list('a', 'b'));
    await untilThere(endpoints, 'a', 'b');
  });

  it('keeps what it has while the file is away', async () => {
    const path = await fileWith(list('a'));
    const endpoints = await started(path, true);
    await rename(path, `${path}.away`);
    // a change of another file is seen at the second look, and both are looked at as often
    const witness = await fileWith(list('a'));
    const others = await started(witness, true);
    await writeFile(witness, list('b'));
    await untilThere(others, 'b');
    expect(namesIn(endpoints)).toEqual(['a']);
    await writeFile(path, list('b'));
    await untilThere(endpoints, 'b');
  });

  it('leaves bad entries out, also those that were good', async () => {
    const path = await fileWith(list('a', 'b'));
    const endpoints = await started(path, true);
    await writeFile(path, `${list('a', 'c')}- {name: b, address: 10.0.0.1, port: none}\n`);
    await untilThere(endpoints, 'a', 'c');
  });

  it('does not look again where it is not asked to', async () => {
    const path = await fileWith(list('a'));
    const endpoints = await started(path);
    const watched = await started(path, true);
    await writeFile(path, list('b'));
    await untilThere(watched, 'b');
    expect(namesIn(endpoints)).toEqual(['a']);
  });
});

describe('StaticDiscovery', () => {
  it('says its endpoints once', async () => {
    const endpoint = { id: 'ns/a', namespace: 'ns', name: 'a', address: '10.0.0.1', port: 8000, labels: {} };
    const endpoints = new EndpointStore();
    await new StaticDiscovery([endpoint]).start(endpoints);
    expect(endpoints.all().map((state) => state.endpoint)).toEqual([endpoint]);
  });
});
