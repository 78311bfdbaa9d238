import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricSpec } from './metric-spec.ts';
import { findSeries } from './prometheus-text.ts';

function valueOf(text: string, spec: string): number | undefined {
  return findSeries(Buffer.from(text), metricSpec(spec))?.value;
}

describe('metricSpec', () => {
  it.each([
    { text: 'up', labels: [] },
    { text: 'up{}', labels: [] },
    { text: 'up{a=b}', labels: [['a', 'b']] },
    {
      text: ' up{ a = "b c", d=e-1 } ',
      labels: [
        ['a', 'b c'],
        ['d', 'e-1'],
      ],
    },
  ])('reads $text', ({ text, labels }) => {
    expect(metricSpec(text)).toMatchObject({ name: 'up', labels });
  });

  it.each(['', '1up', 'up{a}', 'up{a=b', 'up{a!=b}', 'up down', '{a=b}'])('refuses %j', (text) => {
    expect(() => metricSpec(text)).toThrow('not a');
  });
});

describe('findSeries', () => {
  it.each([
    { what: 'the first line', text: 'up 1\nother 2\n' },
    { what: 'the last line without a line feed', text: 'other 2\nup 1' },
    { what: 'a line among others', text: '# HELP up is it up 5\n# TYPE up gauge\nup 1\nother 2\n' },
    { what: 'a tab', text: 'up\t1\n' },
    { what: 'labels', text: 'up{a="b"} 1\n' },
    { what: 'an exponent', text: 'up 1e0\n' },
    { what: 'line ends of Windows', text: 'x 2\r\nup 1\r\n' },
    { what: 'an exemplar', text: 'up 1 # {trace_id="a"} 7\n' },
    { what: 'longer names that start alike', text: 'up_total 5\nupper{a="b"} 6\nup 1\n' },
    { what: 'a name inside of labels', text: 'x{y="\\nup 5"} 2\nup 1\n' },
  ])('finds the value with $what', ({ text }) => {
    expect(valueOf(text, 'up')).toBe(1);
  });

  it.each(['', 'x', 'upper 1\n', '# TYPE up gauge\n', 'up', 'xup 1\n', 'up{a="b 1\n', 'up{a=b} 1\n', 'up \n'])(
    'finds nothing in %j',
    (text) => {
      expect(valueOf(text, 'up')).toBeUndefined();
    },
  );

  it.each(['NaN', '+Inf', '-Inf', 'x'])('has no number for %s', (value) => {
    expect(valueOf(`up ${value}\n`, 'up')).toBeNaN();
  });

  it('takes the first of several series', () => {
    expect(valueOf('up{a="1"} 1\nup{a="2"} 2\n', 'up')).toBe(1);
  });

  it('takes the one with the latest timestamp', () => {
    expect(valueOf('up{a="1"} 1 100\nup{a="2"} 2 300\nup{a="3"} 3 200\n', 'up')).toBe(2);
  });

  it('takes the first one whose labels fit', () => {
    const text = 'up{a="1",b="x"} 1\nup{b="y",a="2"} 2\nup{a="2",b="y"} 3\n';
    expect(valueOf(text, 'up{a=2,b=y}')).toBe(2);
    expect(valueOf(text, 'up{c=1}')).toBeUndefined();
  });

  it('reads labels with whatever is in them', () => {
    const text = 'up{quote="a\\"b",slash="c\\\\",feed="d\\ne",braces="{},=", last="é",} 1\n';
    const labels = findSeries(Buffer.from(text), metricSpec('up'))?.labels;
    expect(Object.fromEntries(labels ?? [])).toEqual({
      quote: 'a"b',
      slash: 'c\\',
      feed: 'd\ne',
      braces: '{},=',
      last: 'é',
    });
  });

  it('does not fail on any bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('u', 'p', '{', '}', '"', '\\', '\n', ' ', '=', ',', '1', 'é') }),
        (text) => {
          findSeries(Buffer.from(text), metricSpec('up'));
          findSeries(Buffer.from(`up${text}`), metricSpec('up{p=1}'));
        },
      ),
    );
  });

  it('finds what was written', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.integer(), (label, value) => {
        const written = label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
        const series = findSeries(Buffer.from(`x 1\nup{a="${written}"} ${value}\ny 2\n`), metricSpec('up'));
        expect(series?.labels.get('a')).toBe(label);
        expect(series?.value).toBe(value);
      }),
    );
  });
});
