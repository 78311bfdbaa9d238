import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PipelineStep, stepMetadata } from './pipeline-step.decorator.ts';
import { loadStepModule } from './step-module.loader.ts';

const KIT = { PipelineStep, z };
const LISTED = fileURLToPath(new URL('../../../test/fixtures/steps/listed.steps.mjs', import.meta.url));

/** Module text that makes one step of that type with the kit. */
const made = (type: string): string =>
  `{ class Step { execute = async () => ({ kind: 'next' }) } PipelineStep('${type}', z.strictObject({}))(Step); return [Step]; }`;

const NOT_A_LIST = 'must export by default a list of classes made with PipelineStep, or a function that returns one';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steps-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return `./${name}`;
}

async function types(specifier: string): Promise<(string | undefined)[]> {
  return (await loadStepModule(specifier, folder, KIT)).map((step) => stepMetadata(step)?.type);
}

describe('loadStepModule', () => {
  it('hands the kit to a function, and takes the classes it gives', async () => {
    expect(await types(write('function.mjs', `export default ({ PipelineStep, z }) => ${made('own')};`))).toEqual([
      'own',
    ]);
  });

  it('waits for a function that takes its time', async () => {
    const text = `export default async ({ PipelineStep, z }) => { await null; ${made('late').slice(1)};`;
    expect(await types(write('async.mjs', text))).toEqual(['late']);
  });

  it('takes a list of classes', async () => {
    expect(await types(relative(folder, LISTED).replace(/^(?!\.)/, './'))).toEqual(['listed']);
  });

  it('takes an absolute path', async () => {
    expect(await types(LISTED)).toEqual(['listed']);
  });

  it('takes the name of a package that is installed beside the file', async () => {
    const manifest = { name: 'own-steps', version: '1.0.0', type: 'module', exports: './index.js' };
    write('node_modules/own-steps/package.json', JSON.stringify(manifest));
    write('node_modules/own-steps/index.js', `export default ({ PipelineStep, z }) => ${made('packaged')};`);
    expect(await types('own-steps')).toEqual(['packaged']);
  });

  it.each([
    ['no default export', 'export const steps = [];'],
    ['an empty list', 'export default [];'],
    ['a list of something else', 'export default ["tenant-limit"];'],
    ['a class that is not decorated', 'export default [class { execute = async () => ({}) }];'],
    [
      'one decorated class among others',
      `export default ({ PipelineStep, z }) => [...(() => ${made('one')})(), class {}];`,
    ],
    ['a step that is not in a list', `export default ({ PipelineStep, z }) => (() => ${made('alone')})()[0];`],
    ['a class in place of a function', `export default class Step { execute = async () => ({ kind: 'next' }) }`],
    ['an object', 'export default { steps: [] };'],
    ['a function that gives nothing', 'export default () => undefined;'],
  ])('says what a module should be that has %s', async (name, text) => {
    await expect(types(write(`${name.replaceAll(' ', '-')}.mjs`, text))).rejects.toThrow(NOT_A_LIST);
  });

  it('says what the module itself threw', async () => {
    await expect(types(write('throws.mjs', 'export default () => { throw new Error("no table"); };'))).rejects.toThrow(
      'no table',
    );
    await expect(types(write('broken.mjs', 'export default [;'))).rejects.toThrow();
  });

  it.each(['./absent.mjs', '/absent/absent.mjs', 'absent-package'])('fails for %s, naming it', async (specifier) => {
    await expect(types(specifier)).rejects.toThrow(/absent/);
  });
});
