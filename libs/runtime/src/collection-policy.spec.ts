import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const MODULE = new URL('collection-policy.ts', import.meta.url).href;
/** Three gigabytes of bodies pass one by one, beside some objects that stay; it prints how often the whole heap was marked. */
const BODIES = fileURLToPath(new URL('bodies-pass.fixture.mjs', import.meta.url));

function wholeCollections(module: string): number {
  return Number(execFileSync(process.execPath, [BODIES, module], { encoding: 'utf8' }));
}

describe('the collection policy', () => {
  it('lets bodies pass with hardly a collection of the whole heap, where there are many without it', () => {
    expect(wholeCollections('')).toBeGreaterThan(10);
    expect(wholeCollections(MODULE)).toBeLessThan(4);
  });
});
