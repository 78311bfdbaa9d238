import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import {
  JsonObject,
  JsonSyntaxError,
  JsonValidator,
  JsonValue,
  MAX_DEPTH,
  TokenArray,
  TokenArrayError,
  rawJson,
} from '../../dist/libs/json/src/index.js';

/**
 * Holds `#json` against JSON.parse for one input. `random` chooses budgets and edits.
 * @returns whether the input is a document that `#json` accepts
 * @throws where they differ
 */
export function compareWithJsonParse(source, random) {
  faultsAreOurs(source);
  if (!isUtf8(source)) return false;
  const parsed = attempt(() => JSON.parse(source.toString()), SyntaxError);
  compareTokens(source, parsed);
  const members = validated(source, Infinity);
  const budget = 1 + random(100);
  assert.deepEqual(validated(source, budget), members, `runs of ${budget} bytes differ from one run`);
  if (members instanceof JsonSyntaxError) {
    const isTooDeep = members.reason === 'depth' && depthOf(source) > MAX_DEPTH;
    assert.ok(isTooDeep || parsed instanceof SyntaxError, `refused what JSON.parse accepts: ${members.message}`);
    return false;
  }
  assert.ok(!(parsed instanceof SyntaxError), 'accepted what JSON.parse refuses');
  assert.deepEqual(materialized(JsonValue.read(source)), parsed, 'values differ');
  if (isObject(parsed)) compareObject(source, members, parsed, random);
  return true;
}

/** Bytes that nobody validated may be refused, by our own errors alone. */
function faultsAreOurs(source) {
  attempt(() => JsonObject.of(source).toRope(), JsonSyntaxError);
  // The reader below calls itself for each level, which `#json` does not.
  if (depthOf(source) <= 2 * MAX_DEPTH) attempt(() => materialized(JsonValue.read(source)), JsonSyntaxError);
  attempt(() => TokenArray.scan(source), TokenArrayError);
}

function validated(source, budget) {
  return attempt(() => {
    const validator = new JsonValidator(source);
    while (!validator.run(budget));
    return validator.members;
  }, JsonSyntaxError);
}

function compareTokens(source, parsed) {
  // The largest ids are beyond what a double can tell from 2^63.
  if (/9223372036854775\d{3}/.test(source.toString('latin1'))) return;
  const tokens = attempt(() => TokenArray.scan(source), TokenArrayError);
  // What stands behind the array is for the caller to look at.
  const isAccepted = tokens instanceof TokenArray && /^[ \t\r\n]*$/.test(source.toString('latin1', tokens.end));
  const isId = (id) => Number.isInteger(id) && id >= 0 && id < 2 ** 63;
  assert.equal(isAccepted, Array.isArray(parsed) && parsed.every(isId), 'token ids are not accepted as they should be');
  if (!isAccepted) return;
  assert.equal(tokens.count, parsed.length);
  assert.deepEqual(tokens.at(parsed.map((_, index) => index)).map(Number), parsed);
}

function compareObject(source, members, parsed, random) {
  const whole = JsonObject.of(source, members);
  assert.deepEqual(JsonObject.of(source).keys(), whole.keys(), 'the scan indexes otherwise than the validator');
  assert.deepEqual([...whole.keys()].sort(), Object.keys(parsed).sort(), 'keys differ');
  assert.deepEqual(Buffer.concat(whole.toRope()), source, 'an unchanged object is sent otherwise than it came');
  for (const key of whole.keys()) assert.deepEqual(JSON.parse(whole.get(key).bytes), parsed[key], 'a value differs');
  compareEdits(whole, parsed, random);
}

function compareEdits(whole, parsed, random) {
  const model = new Map(Object.entries(parsed));
  const keys = [...model.keys(), 'new', 'newer'];
  for (const key of new Set([keys[random(keys.length)], keys[random(keys.length)]])) {
    if (model.has(key)) whole = spliced(whole, key, model, random);
  }
  const changed = new Set();
  for (let edits = random(5); edits > 0; edits--) {
    const key = keys[random(keys.length)];
    if (random(3) === 0) {
      whole = whole.remove(key);
      model.delete(key);
    } else {
      whole = whole.set(key, rawJson(`[${edits}]`));
      model.set(key, [edits]);
      changed.add(key);
    }
  }
  const sent = Buffer.concat(whole.toRope());
  assert.deepEqual(new Map(Object.entries(JSON.parse(sent))), model, 'an edited object differs');
  assert.deepEqual([...whole.keys()].sort(), [...model.keys()].sort(), 'the keys of an edited object differ');
  const places = JsonValue.read(sent)
    .members()
    .filter(({ key }) => changed.has(key));
  assert.equal(places.length, new Set(places.map(({ key }) => key)).size, 'a key that was set is sent twice');
}

/** The object with a value in that of `key` spliced, and `model` alike, after a look at what stands around it. */
function spliced(whole, key, model, random) {
  const before = whole.get(key);
  const place = innerValue(before, random);
  const changed = whole.splice([{ start: place.start, end: place.end, insert: rawJson('"spliced"') }]);
  const after = Buffer.concat(changed.valueBytes(key));
  const head = before.bytes.subarray(0, place.start - before.start);
  const tail = before.bytes.subarray(place.end - before.start);
  assert.deepEqual(after, Buffer.concat([head, Buffer.from('"spliced"'), tail]), 'a splice changed its surroundings');
  model.set(key, JSON.parse(after));
  return changed;
}

/** The value or, by chance, one inside it. */
function innerValue(value, random) {
  const inner = [...value.items(), ...value.members().map((member) => value.at(member))];
  return inner.length === 0 || random(3) === 0 ? value : innerValue(inner[random(inner.length)], random);
}

/** What a value holds, read through `JsonValue` alone. */
function materialized(value) {
  if (value.kind === 'array') return Array.from(value.items(), materialized);
  if (value.kind === 'object') {
    const members = value.members();
    const last = new Map(members.map((member) => [member.key, member.valueStart]));
    for (const { key } of members.slice(0, 3)) {
      assert.equal(value.member(key).start, last.get(key), 'of repeated members not the last');
    }
    return Object.fromEntries(members.map((member) => [member.key, materialized(value.at(member))]));
  }
  if (value.kind === 'string') return value.string;
  if (value.kind === 'number') return value.number;
  return value.isNull ? null : value.isTrue;
}

function depthOf(source) {
  let depth = 0;
  let deepest = 0;
  for (const [token] of source.toString('latin1').matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}

/** What `work` gives, or the error if it is one of `expected`; any other error is a finding. */
function attempt(work, expected) {
  try {
    return work();
  } catch (error) {
    if (error instanceof expected) return error;
    throw error;
  }
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
