import { describe, expect, it } from '@jest/globals';
import { JsonValue, joinRope } from '#json';
import { readFeatures } from '#protocol';
import { featuresWithKwargs, singleList } from './features-body.ts';

const HASHES = '{"image": ["a", "b"], "audio": ["c"]}';
const PLACES =
  '{"audio": [{"offset": 0, "length": 1}], "image": [{"offset": 1, "length": 1, "x": [1.0]}, {"offset": 2, "length": 1}]}';

/** `kwargs_data` that goes out for the one that came. */
function kwargs(came: string | undefined): string {
  const member = came === undefined ? '' : `,"kwargs_data":${came}`;
  const features = readFeatures(
    JsonValue.read(Buffer.from(`{"mm_hashes":${HASHES},"mm_placeholders":${PLACES}${member}}`)),
    9,
  );
  if (features === undefined) throw new Error('there are entries');
  const text = joinRope(featuresWithKwargs(features)).toString();
  const start = `{"mm_hashes":${HASHES},"mm_placeholders":${PLACES},"kwargs_data":`;
  expect(text.slice(0, start.length)).toBe(start);
  return text.slice(start.length, -1);
}

describe('featuresWithKwargs', () => {
  it.each(['{ "image" : ["AA==", "BB=="], "audio": ["CC=="] }', '{"audio":[null],"image":["A\\/==",null]}'])(
    'sends lists that are whole as they came: %s',
    (came) => {
      expect(kwargs(came)).toBe(came);
    },
  );

  it.each([
    [undefined, '{"image":[null,null],"audio":[null]}'],
    ['null', '{"image":[null,null],"audio":[null]}'],
    ['{}', '{"image":[null,null],"audio":[null]}'],
    ['{"image": ["AA==", null]}', '{"image":["AA==",null],"audio":[null]}'],
    ['{"audio": ["C\\/=="], "image": null}', '{"image":[null,null],"audio":["C\\/=="]}'],
  ])('sends null for each entry that %s does not name', (came, expected) => {
    expect(kwargs(came)).toBe(expected);
  });
});

describe('singleList', () => {
  it.each([
    ['text', 'null', '{"image":[null]}'],
    ['bytes', Buffer.from('"a"'), '{"image":["a"]}'],
    ['a rope', [Buffer.from('{"a":'), Buffer.from('1}')], '{"image":[{"a":1}]}'],
  ])('holds %s', (_, value, expected) => {
    expect(joinRope(singleList('image', value)).toString()).toBe(expected);
  });

  it('writes any modality as JSON', () => {
    expect(joinRope(singleList('a"\n', '1')).toString()).toBe('{"a\\"\\n":[1]}');
  });
});
