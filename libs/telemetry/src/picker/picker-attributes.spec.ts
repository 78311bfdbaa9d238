import { describe, expect, it } from '@jest/globals';
import { ATTRIBUTES } from '../attributes.ts';
import { PICKER_ATTRIBUTES } from './picker-attributes.ts';
import { PICKER_SPANS } from './picker-span-catalogue.ts';

describe('PICKER_ATTRIBUTES', () => {
  it('are llm-d’s own, but for the id that workers use, too', () => {
    const others = Object.values(PICKER_ATTRIBUTES).filter((name) => !name.startsWith('llm_d.epp.'));
    expect(others).toEqual(['gen_ai.request.id']);
  });

  it('has those that epp.md 8.5 writes', () => {
    expect(Object.values(PICKER_ATTRIBUTES)).toEqual(
      expect.arrayContaining([
        'llm_d.epp.pd.disaggregation_used',
        'llm_d.epp.pd.reason',
        'llm_d.epp.encode.disaggregation_used',
        'llm_d.epp.encode.reason',
      ]),
    );
    expect(ATTRIBUTES.requestModel).toBe('gen_ai.request.model');
  });

  it('has no name twice, and none that no span uses', () => {
    const names = Object.values(PICKER_ATTRIBUTES);
    const used: ReadonlySet<string> = new Set(PICKER_SPANS.flatMap(({ attributes }) => attributes));
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(PICKER_ATTRIBUTES).filter((key) => !used.has(key))).toEqual([]);
  });
});

describe('PICKER_SPANS', () => {
  it('stand beneath each other', () => {
    const names: ReadonlySet<string> = new Set(PICKER_SPANS.map(({ name }) => name));
    for (const { name, parent } of PICKER_SPANS) {
      expect({ name, hasParent: parent === undefined || names.has(parent) }).toEqual({ name, hasParent: true });
    }
  });
});
