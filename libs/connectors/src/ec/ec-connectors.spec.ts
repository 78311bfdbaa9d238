import { describe, expect, it } from '@jest/globals';
import { UpstreamAnswerError } from '#foundation';
import { JsonValue, joinRope } from '#json';
import type { EcConnector } from './ec-connector.ts';
import { NixlEcConnector } from './nixl.ec-connector.ts';
import { SharedStorageEcConnector } from './shared-storage.ec-connector.ts';

const A = '{"peer_host": "10.0.0.2", "peer_port": 5502, "size_bytes": 2359296, "nixl_agent_metadata_b64": "AA=="}';
const B = '{"peer_host":"10.0.0.3","x_future":[1.0,9223372036854775807]}';

/** Merges answers given as JSON text. */
function merge(connector: EcConnector, ...answers: readonly (string | undefined)[]): string | undefined {
  const merged = connector.merge(
    answers.map((answer) => (answer === undefined ? undefined : JsonValue.read(Buffer.from(answer)))),
  );
  return merged && joinRope(merged).toString();
}

const nixl = (...answers: readonly (string | undefined)[]): string | undefined =>
  merge(new NixlEcConnector(), ...answers);

describe('ec-nixl', () => {
  it('gives one flat object of all answers by hash, in their order, every descriptor as it came', () => {
    expect(nixl(`{"bbbb": ${B}}`, `{"aaaa" : ${A}}`)).toBe(`{"bbbb":${B},"aaaa":${A}}`);
  });

  it('takes several hashes of one answer', () => {
    expect(nixl('{"a":{"x":1},"b":{"x":2}}', '{"c":{"x":3}}')).toBe('{"a":{"x":1},"b":{"x":2},"c":{"x":3}}');
  });

  it.each([
    ['absent', undefined],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a list', '[{"a":1}]'],
    ['a number', '1'],
    ['empty', '{}'],
    ['an object of null', '{"a":null}'],
  ])('passes over an answer that is %s', (_, answer) => {
    expect(nixl(answer, '{"b":{"x":1}}')).toBe('{"b":{"x":1}}');
    expect(nixl(answer)).toBeUndefined();
  });

  it('sends nothing when there was no answer', () => {
    expect(nixl()).toBeUndefined();
  });

  it('passes descriptors on that are no objects', () => {
    expect(nixl('{"a":"x","b":[1]}')).toBe('{"a":"x","b":[1]}');
  });

  it('writes any hash as JSON', () => {
    expect(nixl(String.raw`{"a\"\ud83d":{"x":1},"__proto__":{"y":2}}`)).toBe(
      String.raw`{"a\"\ud83d":{"x":1},"__proto__":{"y":2}}`,
    );
  });

  it.each([
    ['equal to the byte', A, A],
    ['equal but for white space', '{"a":1,"b":[2]}', '{ "a" : 1, "b":[ 2 ]}'],
    ['equal but for the order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['equal but for how numbers are written', '{"a":1,"b":0.5}', '{"a":1.0,"b":5e-1}'],
    ['equal but for escapes', '{"a":"x"}', String.raw`{"a":"\u0078"}`],
    ['of large numbers that are equal', '{"a":9223372036854775807}', '{"a": 9223372036854775807}'],
  ])('keeps the first of two descriptors %s', (_, first, second) => {
    expect(nixl(`{"h":${first}}`, `{"h":${second}}`)).toBe(`{"h":${first}}`);
  });

  it.each([
    ['values', '{"a":1}', '{"a":2}'],
    ['keys', '{"a":1}', '{"b":1}'],
    ['kinds', '{"a":1}', '{"a":"1"}'],
    ['order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['digits beyond a double', '{"a":9223372036854775807}', '{"a":9223372036854775806}'],
    ['kind, with digits beyond a double', '{"a":9223372036854775807}', '{"a":"9223372036854775807"}'],
  ])('refuses two descriptors of one hash that differ in %s', (_, first, second) => {
    expect(() => nixl(`{"h":${first}}`, `{"h":${second}}`)).toThrow(UpstreamAnswerError);
  });

  it('says what is wrong without the descriptors', () => {
    expect(() => nixl('{"h":{"a":"SECRET"}}', '{"h":{"a":2}}')).toThrow(
      /^encode answered conflicting ec_transfer_params for one mm_hash$/,
    );
  });
});

describe('ec-shared-storage', () => {
  it('sends nothing, whatever encode answered', () => {
    expect(merge(new SharedStorageEcConnector(), `{"a":${A}}`, undefined)).toBeUndefined();
  });
});
