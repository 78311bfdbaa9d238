import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockedPackages } from '../../config/images/locked-packages.mjs';
import type { LockEntry } from '../../config/images/locked-packages.mjs';
import { packageFiles } from '../../config/images/package-files.mjs';
import { reachedModules } from '../../config/images/reached-modules.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

describe('reachedModules', () => {
  const imports = { '#json': { source: './libs/json/src/index.ts', default: './dist/libs/json/src/index.js' } };
  const main = 'dist/apps/a/main.js';

  it('follows imports of every kind, and takes what stands in a text or a comment for none', () => {
    write({
      'package.json': JSON.stringify({ imports }),
      [main]: `import './side.js'; export { x } from './again.js'; import '#json'; import fs from 'node:fs';
        // import 'comment'
        const text = "import 'text'";`,
      'dist/apps/a/side.js': `const later = () => import('./later.js'); import '@scope/name/part'; import './again.js';`,
      'dist/apps/a/again.js': `export const x = 1; import './side.js';`,
      'dist/apps/a/later.js': `import 'on-demand';`,
      'dist/apps/a/unused.js': '',
      'dist/libs/json/src/index.js': `export {};`,
    });
    expect(reachedModules(folder, main)).toEqual({
      files: [
        'dist/apps/a/again.js',
        'dist/apps/a/later.js',
        main,
        'dist/apps/a/side.js',
        'dist/libs/json/src/index.js',
      ],
      packages: ['@scope/name', 'on-demand'],
      names: new Map([['#json', 'dist/libs/json/src/index.js']]),
    });
  });

  it.each([
    ['a file that is not there', `import './gone.js';`, 'dist/apps/a/gone.js is not there: build first'],
    ['a #name that is none', `import '#gone';`, 'package.json does not say what #gone is in a build'],
  ])('refuses %s', (_, text, message) => {
    write({ 'package.json': JSON.stringify({ imports }), [main]: text });
    expect(() => reachedModules(folder, main)).toThrow(message);
  });
});

describe('lockedPackages', () => {
  const locked = (packages: Readonly<Record<string, LockEntry>>) => lockedPackages({ packages }, ['a']);

  it('has what a package needs, from the nearest folder upwards', () => {
    const found = locked({
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2', c: '1' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' } },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/c': { version: '1.0.0' },
    });
    expect([...found.keys()]).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c']);
    expect(found.get('node_modules/a/node_modules/b')).toEqual({
      name: 'b',
      version: '2.0.0',
      broughtBy: 'a',
      needs: ['node_modules/c'],
    });
  });

  it.each<[string, LockEntry, readonly string[]]>([
    ['a peer that has to be there', { peerDependencies: { b: '1' } }, ['node_modules/a', 'node_modules/b']],
    [
      'a peer that may be there',
      { peerDependencies: { b: '1' }, peerDependenciesMeta: { b: { optional: true } } },
      ['node_modules/a'],
    ],
    ['an optional dependency', { optionalDependencies: { b: '1' } }, ['node_modules/a']],
    ['a package of another runtime', { dependencies: { 'bare-fs': '1' } }, ['node_modules/a']],
  ])('%s', (_, a, expected) => {
    const packages = { 'node_modules/a': a, 'node_modules/b': {}, 'node_modules/bare-fs': {} };
    expect([...locked(packages).keys()]).toEqual(expected);
  });

  it.each<[string, Readonly<Record<string, LockEntry>>, string]>([
    [
      'that is not locked',
      { 'node_modules/a': { dependencies: { b: '1' } } },
      'package-lock.json has no b for node_modules/a',
    ],
    ['for development', { 'node_modules/a': { dev: true } }, 'node_modules/a is there for development alone'],
  ])('refuses a package %s', (_, packages, message) => {
    expect(() => locked(packages)).toThrow(message);
  });
});

describe('packageFiles', () => {
  it('has what a process can use and the licence, not what compilers, people and tests read', () => {
    write({
      'package.json': '{}',
      'LICENSE.md': '',
      'README.md': '',
      'index.js': '',
      'index.d.ts': '',
      'index.js.map': '',
      'lib/data.json': '',
      'lib/engine.wasm': '',
      'lib/test/kept.js': '',
      'test/all.js': '',
      'docs/page.js': '',
      '.eslintrc.js': '',
      'node_modules/other/index.js': '',
    });
    expect(packageFiles(folder)).toEqual([
      'LICENSE.md',
      'index.js',
      'lib/data.json',
      'lib/engine.wasm',
      'lib/test/kept.js',
      'package.json',
    ]);
  });

  it('has nothing of a package of types', () => {
    write({ 'package.json': '{}', LICENSE: '', 'index.d.ts': '' });
    expect(packageFiles(folder)).toEqual([]);
  });
});
