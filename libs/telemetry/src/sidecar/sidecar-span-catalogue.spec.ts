import { describe, expect, it } from '@jest/globals';
import { SIDECAR_ATTRIBUTES } from './sidecar-attributes.ts';
import { STAGES } from './sidecar-label-values.ts';
import { SIDECAR_SPANS } from './sidecar-span-catalogue.ts';

describe('SIDECAR_SPANS', () => {
  const names = SIDECAR_SPANS.map(({ name }) => name);

  it('has a span for every stage', () => {
    expect(names).toEqual(expect.arrayContaining([...STAGES]));
  });

  it('names each kind of span once, and parents that there are', () => {
    expect(new Set(names).size).toBe(names.length);
    for (const { parent } of SIDECAR_SPANS) expect([undefined, ...names]).toContain(parent);
  });

  it('can fail, all of them', () => {
    for (const { attributes } of SIDECAR_SPANS) expect(attributes).toContain('errorType');
  });

  it('uses each attribute of the sidecar', () => {
    const used: ReadonlySet<string> = new Set(SIDECAR_SPANS.flatMap(({ attributes }) => attributes));
    expect(Object.keys(SIDECAR_ATTRIBUTES).filter((key) => !used.has(key))).toEqual([]);
  });
});
