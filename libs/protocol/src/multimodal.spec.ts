import { describe, expect, it } from '@jest/globals';
import { JsonValue } from '#json';
import { FeaturesError, MAX_ENTRIES, readFeatures } from './multimodal.ts';
import type { Features } from './multimodal.ts';

const TOKENS = 8;
const HASHES = '"mm_hashes":{"image":["aaaa","bbbb"]}';
const PLACES = '"mm_placeholders":{"image":[{"offset":1,"length":3},{"offset":4,"length":2}]}';

function read(text: string, tokenCount = TOKENS): Features | undefined {
  return readFeatures(JsonValue.read(Buffer.from(text)), tokenCount);
}

/** Features of one image with this placeholder. */
const placed = (placeholder: string): string =>
  `{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[${placeholder}]}}`;

describe('readFeatures', () => {
  it.each([
    ['null', 'null'],
    ['an empty object', '{}'],
    ['nothing but unknown keys', '{"x_future":1}'],
    ['null in every place', '{"mm_hashes":null,"mm_placeholders":null,"kwargs_data":null}'],
    ['no modality', '{"mm_hashes":{},"mm_placeholders":{},"kwargs_data":{}}'],
    ['no hash', '{"mm_hashes":{"image":[]},"mm_placeholders":{"image":[]}}'],
    ['null lists', '{"mm_hashes":{"image":null},"mm_placeholders":{"image":null}}'],
  ])('finds nothing multimodal in %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('finds nothing multimodal where there are no features', () => {
    expect(readFeatures(undefined, TOKENS)).toBeUndefined();
  });

  it('reads hash, span and kwargs of each entry in list order', () => {
    const found = read(`{${HASHES},${PLACES},"kwargs_data":{"image":["AA==",null]}}`);
    expect(
      found?.entries.map(({ modality, index, hash, offset, length }) => [modality, index, hash, offset, length]),
    ).toEqual([
      ['image', 0, 'aaaa', 1, 3],
      ['image', 1, 'bbbb', 4, 2],
    ]);
    expect(found?.entries.map(({ kwargs }) => kwargs?.toString())).toEqual(['"AA=="', undefined]);
    expect(found?.entries.map(({ hasKwargsList }) => hasKwargsList)).toEqual([true, true]);
  });

  it('counts the entries of each modality by themselves, in the order of mm_hashes', () => {
    const hashes = '{"video":["v"],"image":["a","b"],"tensor":["t"]}';
    const spans =
      '{"image":[{"offset":0,"length":1},{"offset":1,"length":1}],"tensor":[{"offset":2,"length":1}],"video":[{"offset":3,"length":1}]}';
    const found = read(`{"mm_placeholders":${spans},"mm_hashes":${hashes}}`);
    expect(found?.entries.map(({ modality, index, offset }) => `${modality} ${index} ${offset}`)).toEqual([
      'video 0 3',
      'image 0 0',
      'image 1 1',
      'tensor 0 2',
    ]);
  });

  it('carries the lists and every placeholder as they came, keys unknown here included', () => {
    const spans = '{ "image" : [ {"offset":1.0,"length":2,"is_embed":[true],"x":9007199254740993} ] }';
    const found = read(`{"mm_hashes": {"image":["\\u0061"]} ,"mm_placeholders":${spans}}`);
    expect(found?.hashes.toString()).toBe('{"image":["\\u0061"]}');
    expect(found?.placeholders.toString()).toBe(spans);
    expect(found?.kwargs).toBeUndefined();
    expect(found?.entries[0]?.hash).toBe('a');
    expect(found?.entries[0]?.hashBytes.toString()).toBe('"\\u0061"');
    expect(found?.entries[0]?.placeholder.bytes.toString()).toBe(
      '{"offset":1.0,"length":2,"is_embed":[true],"x":9007199254740993}',
    );
  });

  it.each([
    ['absent', `{${HASHES},${PLACES}}`],
    ['null', `{${HASHES},${PLACES},"kwargs_data":null}`],
    ['without the modality', `{${HASHES},${PLACES},"kwargs_data":{}}`],
    ['null for the modality', `{${HASHES},${PLACES},"kwargs_data":{"image":null}}`],
  ])('lets the worker look every entry up when kwargs_data is %s', (_, text) => {
    const found = read(text);
    expect(found?.entries.map(({ kwargs, hasKwargsList }) => [kwargs, hasKwargsList])).toEqual([
      [undefined, false],
      [undefined, false],
    ]);
  });

  it.each([
    ['of no length', '{"offset":7,"length":0}'],
    ['that fills the prompt', '{"offset":0,"length":8}'],
    ['at its end', '{"offset":7,"length":1}'],
    ['with numbers written as fractions of zero', '{"offset":1.0,"length":2e0}'],
  ])('takes a placeholder %s', (_, placeholder) => {
    expect(read(placed(placeholder))?.entries).toHaveLength(1);
  });

  it.each([
    ['features that are a string', '"x"'],
    ['features that are a list', '[]'],
    ['features that are a number', '1'],
    ['features that are a switch', 'false'],
    ...['mm_hashes', 'mm_placeholders', 'kwargs_data'].flatMap((key) => [
      [`${key} as a list`, `{"${key}":[]}`] as const,
      [`${key} as a string`, `{"${key}":"x"}`] as const,
      [`${key} that holds no list`, `{"${key}":{"image":"x"}}`] as const,
      [`${key} that holds an object`, `{"${key}":{"image":{}}}`] as const,
      [`${key} with an empty modality`, `{"${key}":{"":[]}}`] as const,
    ]),
    ['placeholders of a modality without hashes', '{"mm_placeholders":{"image":[]}}'],
    ['kwargs of a modality without hashes', `{${HASHES},${PLACES},"kwargs_data":{"video":[]}}`],
    ['hashes without placeholders', `{${HASHES}}`],
    [
      'fewer placeholders than hashes',
      '{"mm_hashes":{"image":["a","b"]},"mm_placeholders":{"image":[{"offset":0,"length":1}]}}',
    ],
    ['more placeholders than hashes', `{"mm_hashes":{"image":["a"]},${PLACES}}`],
    ['fewer kwargs than hashes', `{${HASHES},${PLACES},"kwargs_data":{"image":["AA=="]}}`],
    ['more kwargs than hashes', `{${HASHES},${PLACES},"kwargs_data":{"image":[null,null,null]}}`],
    ['no kwargs in a list for hashes', `{${HASHES},${PLACES},"kwargs_data":{"image":[]}}`],
    ['kwargs that are numbers', `{${HASHES},${PLACES},"kwargs_data":{"image":[1,2]}}`],
    ['kwargs that are objects', `{${HASHES},${PLACES},"kwargs_data":{"image":[{},{}]}}`],
    ['a hash that is a number', '{"mm_hashes":{"image":[1]},"mm_placeholders":{"image":[{"offset":0,"length":1}]}}'],
    ['a hash that is null', '{"mm_hashes":{"image":[null]},"mm_placeholders":{"image":[{"offset":0,"length":1}]}}'],
    ['a placeholder that is null', placed('null')],
    ['a placeholder that is a list', placed('[1,2]')],
    ['a placeholder without offset', placed('{"length":1}')],
    ['a placeholder without length', placed('{"offset":1}')],
    ['an offset that is a string', placed('{"offset":"1","length":1}')],
    ['a negative offset', placed('{"offset":-1,"length":1}')],
    ['a negative length', placed('{"offset":1,"length":-1}')],
    ['a fractional offset', placed('{"offset":1.5,"length":1}')],
    ['a length that overflows', placed('{"offset":1,"length":9223372036854775807}')],
    ['a length beyond every number', placed('{"offset":1,"length":1e400}')],
    ['an offset at the end of the prompt', placed('{"offset":8,"length":0}')],
    ['an offset behind the end', placed('{"offset":9,"length":1}')],
    ['a span one past the end', placed('{"offset":7,"length":2}')],
    [
      'a second span past the end',
      '{"mm_hashes":{"image":["a","b"]},"mm_placeholders":{"image":[{"offset":0,"length":1},{"offset":4,"length":5}]}}',
    ],
  ])('refuses %s', (_, text) => {
    expect(() => read(text)).toThrow(FeaturesError);
  });

  it('says what is wrong without the content', () => {
    expect(() => read('{"mm_hashes":{"SECRET":["a",1]}}')).toThrow(
      /^features\.mm_placeholders does not match mm_hashes$/,
    );
    expect(() => read(placed('{"offset":"SECRET","length":1}'))).toThrow(/^((?!SECRET).)*$/);
  });

  it('takes as many entries as a request may have, and refuses one more', () => {
    const features = (count: number): string => {
      const hashes = new Array<string>(count).fill('"a"').join(',');
      const spans = new Array<string>(count).fill('{"offset":0,"length":1}').join(',');
      return `{"mm_hashes":{"image":[${hashes}]},"mm_placeholders":{"image":[${spans}]}}`;
    };
    expect(read(features(MAX_ENTRIES))?.entries).toHaveLength(MAX_ENTRIES);
    expect(() => read(features(MAX_ENTRIES + 1))).toThrow(FeaturesError);
  });
});
