import { describe, expect, it } from '@jest/globals';
import { JsonValue, joinRope } from '#json';
import { mergedParams } from './merged-params.ts';

function merged(...answers: readonly (string | undefined)[]): [text: string | undefined, contributed: number] {
  const values = answers.map((answer) => (answer === undefined ? undefined : JsonValue.read(Buffer.from(answer))));
  const { params, contributed } = mergedParams(values);
  return [params && joinRope(params).toString(), contributed];
}

describe('mergedParams', () => {
  it('is one object of all answers by hash, every descriptor as it came', () => {
    expect(merged('{"bb": {"peer_port": 9007199254740993, "z":1.0}}', '{ "aa" :{"b":1,"a":2}, "cc":[1]}')).toEqual([
      '{"bb":{"peer_port": 9007199254740993, "z":1.0},"aa":{"b":1,"a":2},"cc":[1]}',
      2,
    ]);
  });

  it('takes of two descriptors for one hash the later one', () => {
    expect(merged('{"a":{"x":1},"b":{"x":2}}', '{"a":{"x":3}}')).toEqual(['{"a":{"x":3},"b":{"x":2}}', 2]);
  });

  it.each([undefined, 'null', '"x"', '[{"a":1}]', '1', '{}'])('passes over an answer of %s', (answer) => {
    expect(merged(answer, '{"b":{"x":1}}')).toEqual(['{"b":{"x":1}}', 1]);
    expect(merged(answer)).toEqual([undefined, 0]);
  });

  it('is nothing without answers', () => {
    expect(merged()).toEqual([undefined, 0]);
  });

  it('writes any hash as JSON', () => {
    const answer = String.raw`{"a\"\ud83d":{"x":1},"__proto__":{"y":2}}`;
    expect(merged(answer)).toEqual([answer, 1]);
  });
});
