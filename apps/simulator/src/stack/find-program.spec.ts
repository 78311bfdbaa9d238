import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findProgram, findVersioned } from './find-program.ts';

describe('findProgram', () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(folder, 'envoy'), '', { mode: 0o755 });
  writeFileSync(join(other, 'envoy'), '', { mode: 0o644 });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    { what: 'the first one that can be run', path: [other, folder].join(delimiter), found: join(folder, 'envoy') },
    { what: 'none that cannot be run', path: other, found: undefined },
    { what: 'none on an empty PATH', path: '', found: undefined },
  ])('finds $what', ({ path, found }) => {
    expect(findProgram('envoy', path)).toBe(found);
  });
});

describe('findVersioned', () => {
  const wanted = { title: 'Node', flag: '--node', option: '--node-program', name: 'node', version: /^v(\d+\.\S+)$/m };

  it('gives the program that is named, with the version that it says', () => {
    const found = { program: process.execPath, version: process.versions.node };
    expect(findVersioned(wanted, process.execPath)).toEqual(found);
  });

  it.each([
    { what: 'a program that says something else', named: process.execPath, version: /^version (.*)$/m },
    { what: 'none', named: '/nowhere/node', version: wanted.version },
  ])('says what to change where it is given $what', ({ named, version }) => {
    expect(() => findVersioned({ ...wanted, version }, named)).toThrow(
      `${named} is no Node that runs here; --node-program FILE names another one`,
    );
  });

  it('says what to do where there is none on the PATH', () => {
    expect(() => findVersioned({ ...wanted, name: 'no-such-program' }, undefined)).toThrow(
      '--node: there is no no-such-program on the PATH; --node-program FILE names one that lies elsewhere',
    );
  });
});
