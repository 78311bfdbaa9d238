import {
  chatRequest,
  decodeBody,
  encodeBody,
  encoded,
  prefillBody,
  prefilled,
  probeBody,
  rendered,
} from './bodies.mjs';
import { callsOf } from './catalogue.mjs';

/** Names the workload, so that the replaying server and the floor program know which bytes are theirs. */
export const WORKLOAD_HEADER = 'x-bench-workload';
const CHAT = '/v1/chat/completions';
const GENERATE = '/inference/v1/generate';
const CRLF = '\r\n';

/** The client's request, head and body, ready to be written. @param prefiller `host:port`, named where a sidecar is to prefill there */
export function requestBytes(workload, host, prefiller) {
  const body = json(chatRequest(workload));
  const head = [
    `POST ${CHAT} HTTP/1.1`,
    `host: ${host}`,
    'user-agent: bench',
    'accept: */*',
    'authorization: Bearer bench-token',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `${WORKLOAD_HEADER}: ${workload.name}`,
    ...(workload.pipeline === 'sidecar-nixlv2' ? [`x-prefiller-host-port: ${prefiller}`] : []),
  ];
  return Buffer.concat([Buffer.from(head.join(CRLF) + CRLF + CRLF), body]);
}

/** The body of the answer that the client is to receive, byte for byte. */
export function expectedPayload(workload) {
  return Buffer.concat(eventsOf(workload));
}

/** What the replaying server answers, by phase: whole responses, or a stream of `head`, `events` and `end`. */
export function answersOf(workload) {
  const { probe, images, pipeline } = workload;
  const stream = streamOf(workload);
  const decode = { stream };
  if (pipeline === 'relay' || pipeline === 'sidecar') return { decode };
  const prefill = { bytes: [whole(200, json(prefilled(workload)))] };
  if (pipeline === 'sidecar-nixlv2') return { decode, prefill };
  return {
    decode,
    prefill,
    render: { bytes: [whole(200, json(rendered(workload)))] },
    probe: probe === 'hit' ? decode : { bytes: [whole(412, Buffer.from('{"error":{"message":"not cached"}}'))] },
    encode: { bytes: Array.from({ length: images.count }, (_, index) => whole(200, json(encoded(index)))) },
  };
}

/** The calls that a request makes, in order, each step a list that is sent `parallel` at a time. */
export function floorCalls(workload) {
  const { pipeline } = workload;
  const encodePath = pipeline === 'images-generate' ? GENERATE : CHAT;
  const makers = {
    render: () => [{ to: 'render', path: `${CHAT}/render`, headers: [], body: json(chatRequest(workload)) }],
    probe: () => [gatewayCall('decode', CHAT, probeBody(workload), ['prefer', 'if-available'])],
    encode: (count) =>
      Array.from({ length: count }, (_, index) => gatewayCall('encode', encodePath, encodeBody(workload, index))),
    prefill: () => [gatewayCall('prefill', encodePath, prefillBody(workload))],
    decode: () => [gatewayCall('decode', CHAT, decodeBody(workload))],
  };
  const parallel = pipeline === 'fanout-64' ? 64 : 8;
  return Object.entries(callsOf(workload)).map(([phase, count]) => ({ parallel, calls: makers[phase](count) }));
}

function gatewayCall(profile, path, body, extra = []) {
  return { to: 'gateway', path, headers: ['epp-profile', profile, ...extra], body: json(body) };
}

function streamOf(workload) {
  const head = ['HTTP/1.1 200 OK', 'content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked'];
  const chunks = new Map();
  const events = eventsOf(workload).map((event) => {
    const chunk = chunks.get(event) ?? chunked(event);
    chunks.set(event, chunk);
    return chunk;
  });
  return {
    head: Buffer.from(head.join(CRLF) + CRLF + CRLF),
    events: events.slice(0, -1),
    // the last event and the end of the body leave together
    end: Buffer.concat([events.at(-1), Buffer.from(`0${CRLF}${CRLF}`)]),
    gap: workload.stream.gap,
  };
}

/** The events of the answer; what is the same is one buffer. Streams of chat chunks end with their usage and `[DONE]`. */
function eventsOf({ pipeline, stream: { events, size } }) {
  if (size !== 'chat') return new Array(events).fill(sized(size));
  const choice = { index: 0, delta: { content: ' word' }, logprobs: null, finish_reason: null };
  const chunk = {
    id: `chatcmpl-${'0'.repeat(32)}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'bench-model',
  };
  const counts = { prompt_tokens: 200, total_tokens: 250, completion_tokens: 50 };
  // a sidecar puts prefill's count there, which is the same
  const details = pipeline === 'sidecar-nixlv2' ? { prompt_tokens_details: { cached_tokens: 0 } } : {};
  const usage = { ...counts, ...details };
  const last = [data({ ...chunk, choices: [], usage }), Buffer.from('data: [DONE]\n\n')];
  return [...new Array(events - last.length).fill(data({ ...chunk, choices: [choice] })), ...last];
}

function sized(size) {
  const [before, after] = ['data: {"choices":[{"index":0,"delta":{"content":"', '"}}]}\n\n'];
  return Buffer.from(before + 'x'.repeat(size - before.length - after.length) + after);
}

function data(value) {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}

function chunked(bytes) {
  return Buffer.concat([Buffer.from(bytes.length.toString(16) + CRLF), bytes, Buffer.from(CRLF)]);
}

function whole(status, body) {
  const head = [`HTTP/1.1 ${status} Bench`, 'content-type: application/json', `content-length: ${body.length}`];
  return Buffer.concat([Buffer.from(head.join(CRLF) + CRLF + CRLF), body]);
}

function json(value) {
  return Buffer.from(JSON.stringify(value));
}
