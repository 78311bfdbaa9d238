import { describe, expect, it } from '@jest/globals';
import type { PluginEntry } from './picker-config.schema.ts';
import { CLASSES } from './picker-config.fixture.ts';
import { PluginSet } from './plugin-set.ts';

const DECIDER = { type: 'prefix-based-pd-decider' };
const SCORER = { type: 'prefix-cache-scorer', parameters: { blockSizeTokens: 5, autoTune: false } };

/** A set with those plugins and all that they cannot do without. */
function setOf(...entries: readonly PluginEntry[]): PluginSet {
  const set = new PluginSet(CLASSES, () => undefined, []);
  entries.forEach((entry, index) => {
    set.add(entry, `plugins[${index}]`);
  });
  set.addRequired();
  return set;
}

describe('PluginSet', () => {
  it.each([
    ['above', [SCORER, DECIDER]],
    ['below', [DECIDER, SCORER]],
  ])('makes a producer as a scorer wants it that is listed %s others', (_where, entries) => {
    const producer = setOf(...entries).ofType('approx-prefix-cache-producer');
    expect(producer?.params).toMatchObject({ blockSizeTokens: 5, autoTune: false });
  });

  it('adds what is required by what is required', () => {
    expect([...setOf(DECIDER).plugins.keys()]).toEqual([
      'prefix-based-pd-decider',
      'token-producer',
      'approx-prefix-cache-producer',
    ]);
  });

  it('knows the names of plugins that cannot be made', () => {
    const set = setOf({ type: 'queue-scores', name: 'mine' });
    expect([set.has('mine'), set.plugins.has('mine'), set.has('yours')]).toEqual([true, false, false]);
  });

  it('has plugins under the present name of their type', () => {
    expect(setOf({ type: 'tokenizer' }).ofType('token-producer')?.name).toBe('tokenizer');
  });
});
