import { describe, expect, it } from '@jest/globals';
import { JsonObject } from './json-object.ts';
import { rawJson } from './json-rope.ts';
import { memberSplices } from './member-splice.ts';

/** `{"o": OBJECT }` with the member `a` of the inner object set. */
function withMember(written: string): string {
  const whole = JsonObject.of(Buffer.from(`{"x":[0], "o": ${written} ,"y":1}`));
  const inner = whole.get('o');
  if (inner === undefined) throw new Error('no object');
  const sent = Buffer.concat(whole.splice(memberSplices(inner, 'a', rawJson('NEW'))).toRope()).toString();
  return sent.replace('{"x":[0], "o": ', '').replace(' ,"y":1}', '');
}

describe('memberSplices', () => {
  it.each([
    ['{"a":1,"b":2}', '{"a":NEW,"b":2}'],
    ['{ "b" : 2 , "a" : [ 1 ] }', '{ "b" : 2 , "a" : NEW }'],
    ['{"b":2}', '{"b":2,"a":NEW}'],
    ['{ "b" : 2 }', '{ "b" : 2 ,"a":NEW}'],
    ['{}', '{"a":NEW}'],
    ['{ }', '{ "a":NEW}'],
    ['{"a":1,"b":2,"a":3}', '{"b":2,"a":NEW}'],
    ['{ "a":1, "\\u0061":2, "b":3, "a":4 , "c":5 }', '{ "b":3, "a":NEW , "c":5 }'],
    ['{"b":{"a":1}}', '{"b":{"a":1},"a":NEW}'],
  ])('of %s give %s', (written, expected) => {
    expect(withMember(written)).toBe(expected);
  });

  it('stand beside splices in other members of the object', () => {
    const whole = JsonObject.of(Buffer.from('{"o":{"url":"old","b":1}}'));
    const inner = whole.get('o');
    const url = inner?.member('url');
    if (inner === undefined || url === undefined) throw new Error('no url');
    const changed = whole
      .splice(memberSplices(inner, 'id', [Buffer.from('"'), Buffer.from('7"')]))
      .splice([{ start: url.start, end: url.end, insert: rawJson('"new"') }]);
    expect(Buffer.concat(changed.toRope()).toString()).toBe('{"o":{"url":"new","b":1,"id":"7"}}');
  });
});
