import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** What a module has loaded before its first line runs. */
const STATIC_IMPORT = /^import\s/m;

describe('the program that a container starts', () => {
  it.each(['async-worker', 'coordinator', 'epp', 'sidecar'])('hears signals before it loads anything: %s', (app) => {
    const main = readFileSync(new URL(`../../apps/${app}/src/main.ts`, import.meta.url), 'utf8');
    expect(main).not.toMatch(STATIC_IMPORT);
    expect(main.indexOf("process.on('SIGTERM'")).toBeGreaterThan(0);
    expect(main.indexOf("process.on('SIGTERM'")).toBeLessThan(main.indexOf('await import('));
  });
});
