import { isUtf8 } from 'node:buffer';
import {
  JsonObject,
  JsonValidator,
  JsonValue,
  TokenArray,
  rawJson,
  ropeLength,
} from '../../dist/libs/json/src/index.js';

const CALLS = 4;
const PARAMS = { do_remote_decode: true, remote_block_ids: null, remote_engine_id: null };
const KV_PARAMS = rawJson(JSON.stringify(PARAMS));
const WORDS = 'the quick "brown" fox jumps over the lazy dog,\nand a naïve one looks on. ';

/**
 * What is measured: for each document, pairs of the work that `#json` does and the same done on parsed values.
 * A work gives the number of bytes it made, so that it cannot be left out.
 */
export function workloads() {
  return [
    ...chat('chat 1 KB', chatBody(text(700))),
    ...chat('chat 32 KB', chatBody(text(31_000))),
    ...chat('chat 500 KB', chatBody(text(480_000))),
    ...tokens('128k token ids', tokenAnswer(131_072)),
    ...chat('image 20 MB', chatBody(text(200), 'A'.repeat(20_000_000))),
  ];
}

function text(length) {
  return WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
}

function chatBody(prompt, image) {
  const part = { type: 'image_url', image_url: { url: `data:image/png;base64,${image ?? ''}` } };
  const turns = [0, 1, 2, 3].map((turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: prompt.slice((turn * prompt.length) / 4, ((turn + 1) * prompt.length) / 4),
  }));
  if (image !== undefined) turns.push({ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] });
  const options = { stream: true, stream_options: { include_usage: true }, max_tokens: 256, temperature: 0.7, seed: 7 };
  return Buffer.from(JSON.stringify({ model: 'm', messages: turns, ...options }));
}

function tokenAnswer(count) {
  const ids = Array.from({ length: count }, (_, id) => (id * 7919) % 151_000);
  return Buffer.from(JSON.stringify({ token_ids: ids, features: null }));
}

function chat(document, source) {
  const parsed = JSON.parse(source.toString());
  const whole = validated(source);
  return [
    { document, work: 'validate | parse', ours: () => validated(source).keys().length, parsed: () => parse(source) },
    { document, work: 'index | parse', ours: () => JsonObject.of(source).keys().length, parsed: () => parse(source) },
    { document, work: 'edit, emit | edit, stringify', ours: () => sent(whole), parsed: () => stringified(parsed) },
    {
      document,
      work: `one request, ${CALLS} calls`,
      ours: () => times(CALLS, sent, validated(source)),
      parsed: () => times(CALLS, stringified, JSON.parse(source.toString())),
    },
  ];
}

function tokens(document, source) {
  const body = JSON.parse(source.toString());
  const ids = TokenArray.scan(JsonObject.of(source).get('token_ids').bytes);
  const request = JsonObject.of(Buffer.from('{"model":"m","sampling_params":{}}'));
  const ours = (scanned) => ropeLength(request.set('token_ids', [scanned.bytes]).toRope());
  const theirs = (list) => Buffer.from(JSON.stringify({ model: 'm', sampling_params: {}, token_ids: list })).length;
  return [
    { document, work: 'validate | parse', ours: () => validated(source).keys().length, parsed: () => parse(source) },
    { document, work: 'index | parse', ours: () => JsonObject.of(source).keys().length, parsed: () => parse(source) },
    {
      document,
      work: 'scan ids | check ids',
      ours: () => TokenArray.scan(ids.bytes).count,
      parsed: () => checked(body),
    },
    {
      document,
      work: `one answer, ${CALLS} calls`,
      ours: () => times(CALLS, ours, TokenArray.scan(JsonValue.read(source).member('token_ids').bytes)),
      parsed: () => times(CALLS, theirs, JSON.parse(source.toString()).token_ids),
    },
  ];
}

function validated(source) {
  if (!isUtf8(source)) throw new Error('not UTF-8');
  const validator = new JsonValidator(source);
  validator.run();
  return JsonObject.of(source, validator.members);
}

function parse(source) {
  return Object.keys(JSON.parse(source.toString())).length;
}

function checked(body) {
  return body.token_ids.every((id) => Number.isInteger(id) && id >= 0) ? body.token_ids.length : 0;
}

function sent(object) {
  const body = object
    .remove('stream_options')
    .setAll({ stream: rawJson('false'), max_tokens: rawJson('1'), kv_transfer_params: KV_PARAMS });
  return ropeLength(body.toRope());
}

function stringified(parsed) {
  const { stream_options: _, ...kept } = parsed;
  const body = { ...kept, stream: false, max_tokens: 1, kv_transfer_params: PARAMS };
  return Buffer.from(JSON.stringify(body)).length;
}

function times(count, work, argument) {
  let made = 0;
  for (; count > 0; count--) made += work(argument);
  return made;
}
