import { describe, expect, it } from '@jest/globals';
import { ATTRIBUTES } from './attributes.ts';
import { UPSTREAMS } from './label-values.ts';
import { SPANS } from './span-catalogue.ts';

describe('SPANS', () => {
  it('has a span for every upstream', () => {
    const calls = SPANS.filter(({ kind }) => kind === 'CLIENT').map(({ name }) => name);
    expect(calls).toEqual(expect.arrayContaining([...UPSTREAMS, 'media', 'passthrough']));
  });

  it('names each kind of span once', () => {
    const names = SPANS.map(({ name, kind }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('can fail, all of them', () => {
    for (const { attributes } of SPANS) expect(attributes).toContain('errorType');
  });

  it('uses each of our own attributes', () => {
    const used: ReadonlySet<string> = new Set(SPANS.flatMap(({ attributes }) => attributes));
    const own = Object.entries(ATTRIBUTES).filter(([, name]) => name.startsWith('llm_d.coordinator.'));
    expect(own.map(([key]) => key).filter((key) => !used.has(key))).toEqual([]);
  });
});
