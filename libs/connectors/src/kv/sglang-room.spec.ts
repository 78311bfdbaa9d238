import { describe, expect, it } from '@jest/globals';
import { JsonObject, buildObject, joinRope } from '#json';
import { isOneSequence, randomRoom, roomConflict, roomMembers } from './sglang-room.ts';

const objectOf = (text: string): JsonObject => JsonObject.of(Buffer.from(text));

describe('roomMembers', () => {
  it.each([5_975_098_084_415_727_586n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n, 1n, 0n])(
    'write the room %d with all its digits, as a number',
    (id) => {
      expect(joinRope(buildObject(roomMembers({ host: '10.0.0.5', port: 8998, id }))).toString()).toBe(
        `{"bootstrap_host":"10.0.0.5","bootstrap_port":8998,"bootstrap_room":${id}}`,
      );
    },
  );

  it('write an address of IPv6 in brackets, since the engine puts the port behind it', () => {
    const { bootstrap_host: host } = roomMembers({ host: '::1', port: 1, id: 1n });
    expect(host && joinRope(host).toString()).toBe('"[::1]"');
  });
});

describe('randomRoom', () => {
  it('has 63 random bits, the low ones too: they choose the rank', () => {
    const rooms = Array.from({ length: 64 }, randomRoom);
    expect(rooms.every((room) => room >= 0n && room < 2n ** 63n)).toBe(true);
    expect(new Set(rooms).size).toBe(64);
    expect(new Set(rooms.map((room) => room % 2n)).size).toBe(2);
    expect(new Set(rooms.map((room) => room >> 62n)).size).toBe(2);
  });
});

describe('roomConflict', () => {
  it.each([
    ['{}', undefined],
    ['{"n":1,"prompt":"hi"}', undefined],
    ['{"prompt":[1,2]}', undefined],
    ['{"n":2}', 'several_sequences'],
    ['{"n":1,"n":2}', 'several_sequences'],
    ['{"prompt":["a"]}', 'batched_prompt'],
    ['{"prompt":[[1],[2]]}', 'batched_prompt'],
    ['{"prompt":[]}', 'batched_prompt'],
  ])('of %s is %s', (body, conflict) => {
    expect(roomConflict(objectOf(body))).toBe(conflict);
  });
});

describe('isOneSequence', () => {
  it.each([
    ['1', true],
    ['1.0', true],
    ['null', true],
    ['0', false],
    ['true', false],
    ['"1"', false],
    ['[1]', false],
  ])('of n = %s is %s', (n, isOne) => {
    expect(isOneSequence(objectOf(`{"n":${n}}`).get('n'))).toBe(isOne);
  });

  it('is so where there is no n', () => {
    expect(isOneSequence(undefined)).toBe(true);
  });
});
