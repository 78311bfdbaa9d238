import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { heldBytes } from './held-bytes.fixture.ts';
import { LabelCap, OTHER } from './label-cap.ts';

describe('LabelCap', () => {
  it('lets the first values be and folds later ones into one', () => {
    const cap = new LabelCap(2);
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map((value) => cap.value(value))).toEqual(['a', 'b', OTHER, 'a', OTHER, 'b']);
  });

  it('always lets known values be, without counting them', () => {
    const cap = new LabelCap(1, ['known', 'x'.repeat(300)]);
    expect(['known', 'a', 'b', 'known', 'x'.repeat(300)].map((value) => cap.value(value))).toEqual([
      ...['known', 'a', OTHER, 'known'],
      'x'.repeat(300),
    ]);
  });

  it('cuts a value that is long, and counts those with the same beginning once', () => {
    const cap = new LabelCap(1);
    const long = 'm'.repeat(4096);
    expect(cap.value(long)).toBe(`${'m'.repeat(128)}…`);
    expect(cap.value(`${long}2`)).toBe(`${'m'.repeat(128)}…`);
    expect(cap.value('n')).toBe(OTHER);
  });

  it.each(['a"b', 'a\\b', 'a\nb', 'a\u0000b', '中😀', ' '])('lets %j be: escaping is up to the exposition', (value) => {
    expect(new LabelCap(1).value(value)).toBe(value);
  });

  it('gives values that are written with the same bytes one series', () => {
    const cap = new LabelCap(10);
    const halves = ['a\ud800', 'a\udc00', `${'x'.repeat(127)}😀`, `${'x'.repeat(127)}😁`].map((value) =>
      cap.value(value),
    );
    expect(halves).toEqual(['a\ufffd', 'a\ufffd', `${'x'.repeat(127)}\ufffd…`, `${'x'.repeat(127)}\ufffd…`]);
  });

  it('does not keep the long values that it has cut', () => {
    const cap = new LabelCap(100);
    const before = heldBytes();
    for (let index = 0; index < 100; index++) cap.value(Buffer.alloc(1024 * 1024, `${index} `).toString('latin1'));
    expect(heldBytes() - before).toBeLessThan(4 * 1024 * 1024);
    expect(cap.value('one more')).toBe(OTHER);
  });

  it('never gives more values than its cap, those known and one for the rest; each of them short', () => {
    fc.assert(
      fc.property(
        fc.nat(8),
        fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 60 }),
        (size, values) => {
          const cap = new LabelCap(size, ['known']);
          const given = new Set(values.map((value) => cap.value(value)));
          given.delete(OTHER);
          expect(given.size).toBeLessThanOrEqual(size + 1);
          for (const value of given) expect(value.length).toBeLessThanOrEqual(129);
          for (const value of given) expect(cap.value(value)).toBe(value);
        },
      ),
    );
  });
});
