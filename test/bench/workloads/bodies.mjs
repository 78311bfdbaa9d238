/** The JSON of one request, phase by phase, as the wire format has it: what clients, workers and the floor program send. */
const MODEL = 'bench-model';
/** Tokens of a KV cache block. */
const BLOCK = 16;
const WORDS = 'The quick brown fox jumps over the lazy dog, and a naïve one looks on. ';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA';
const CALLER = { do_remote_decode: true, do_remote_prefill: false };
const NOWHERE = { remote_engine_id: null, remote_block_ids: null, remote_host: null, remote_port: null };

/** The client's body. */
export function chatRequest({ prompt, images }) {
  const text = filler(WORDS, prompt.characters ?? prompt.tokens * 4);
  const parts = Array.from({ length: images.count }, () => imagePart(images));
  const content = images.count === 0 ? text : [{ type: 'text', text }, ...parts];
  return {
    model: MODEL,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 256,
    temperature: 0.7,
    seed: 7,
  };
}

/** Render's answer. */
export function rendered(workload) {
  const { images } = workload;
  const features = images.count === 0 ? null : { ...listsOf(workload), kwargs_data: { image: kwargsOf(images) } };
  return { token_ids: tokenIds(workload), features };
}

/** The answer to the encode call of item `index`. */
export function encoded(index) {
  return { ec_transfer_params: ecParams(index) };
}

/** Prefill's answer: as many block ids as the prompt has. */
export function prefilled(workload) {
  return { id: 'cmpl-1', kv_transfer_params: kvParams(workload) };
}

export function probeBody(workload) {
  return { ...chatRequest(workload), tokens: tokensField(workload) };
}

export function encodeBody(workload, index) {
  const { images, pipeline } = workload;
  const one = {
    mm_hashes: { image: [hashOf(index)] },
    mm_placeholders: { image: [{ offset: 1, length: images.tokens }] },
  };
  const ids = [1, ...Array.from({ length: images.tokens }, () => 100 + index)];
  if (pipeline === 'images-generate') {
    const features = { ...one, kwargs_data: { image: [kwargsOf({ ...images, count: 1 })[0]] } };
    return { model: MODEL, token_ids: ids, features, sampling_params: { max_tokens: 1 }, stream: false };
  }
  const messages = [{ role: 'user', content: [imagePart(images)] }];
  return { model: MODEL, messages, tokens: { token_ids: ids, features: one }, max_tokens: 1, stream: false };
}

export function prefillBody(workload) {
  if (workload.pipeline === 'sidecar-nixlv2') return sidecarPrefillBody(workload);
  const transfer = { kv_transfer_params: { ...CALLER, ...NOWHERE }, ...ecOfAll(workload) };
  if (workload.pipeline === 'images-generate') {
    const sampling = { max_tokens: 1, extra_args: transfer };
    const { token_ids, features } = rendered(workload);
    return { request_id: '0'.repeat(36), token_ids, model: MODEL, sampling_params: sampling, stream: false, features };
  }
  const { stream_options: _, ...body } = chatRequest(workload);
  return { ...body, max_tokens: 1, stream: false, tokens: tokensField(workload), ...transfer };
}

export function decodeBody(workload) {
  const body = chatRequest(workload);
  if (workload.pipeline === 'relay' || workload.pipeline === 'sidecar') return body;
  if (workload.pipeline === 'sidecar-nixlv2') return { ...body, kv_transfer_params: kvParams(workload) };
  const [system, user] = body.messages;
  const named = Array.isArray(user.content) ? user.content.map(withUuid) : user.content;
  const messages = [system, { ...user, content: named }];
  return { ...body, messages, tokens: tokensField(workload), kv_transfer_params: kvParams(workload) };
}

/** The client's body, capped, with where the blocks are to be told. */
function sidecarPrefillBody(workload) {
  const { stream_options: _, ...body } = chatRequest(workload);
  const caps = { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1, stream: false };
  return { ...body, ...caps, kv_transfer_params: { ...CALLER, ...NOWHERE } };
}

function withUuid(part, index) {
  return part.type === 'text' ? part : { ...part, uuid: hashOf(index - 1) };
}

/** The prompt's own tokens, then those of its images: `100 + index` for image `index`. */
function tokenIds({ prompt, images }) {
  const text = Array.from({ length: prompt.tokens }, (_, index) => ((index + 1) * 7919) % 151_000);
  const places = Array.from({ length: images.count }, (_, index) => new Array(images.tokens).fill(100 + index));
  return [1, ...text.slice(1), ...places.flat()];
}

function tokensField(workload) {
  const features = workload.images.count === 0 ? {} : { features: listsOf(workload) };
  return { token_ids: tokenIds(workload), ...features };
}

function listsOf({ prompt, images }) {
  const indexes = Array.from({ length: images.count }, (_, index) => index);
  return {
    mm_hashes: { image: indexes.map(hashOf) },
    mm_placeholders: {
      image: indexes.map((index) => ({ offset: prompt.tokens + index * images.tokens, length: images.tokens })),
    },
  };
}

function ecOfAll({ images }) {
  if (images.count === 0) return {};
  const items = Array.from({ length: images.count }, (_, index) => ecParams(index));
  return { ec_transfer_params: Object.assign({}, ...items) };
}

function ecParams(index) {
  return {
    [hashOf(index)]: {
      peer_host: '10.0.0.2',
      peer_port: 5502,
      size_bytes: 2_359_296,
      nixl_agent_metadata_b64: filler('QUJD', 96),
    },
  };
}

function kvParams({ prompt, images }) {
  const blocks = Math.ceil((prompt.tokens + images.count * images.tokens) / BLOCK);
  return {
    do_remote_prefill: true,
    do_remote_decode: false,
    remote_engine_id: '3f0e6b1c-5a52-4c1e-9d3a-1c4b7d2e8f60',
    remote_block_ids: [Array.from({ length: blocks }, (_, block) => 4_000 + block)],
    remote_host: '10.0.0.1',
    remote_port: 5600,
  };
}

function imagePart({ data }) {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}${filler('QUJD', data)}` } };
}

function kwargsOf({ count, kwargs }) {
  return Array.from({ length: count }, () => filler('QUJD', kwargs));
}

function hashOf(index) {
  return index.toString(16).padStart(64, 'ab');
}

function filler(pattern, length) {
  return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
}
