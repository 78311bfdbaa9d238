const NO_IMAGES = { count: 0, tokens: 0, data: 0, kwargs: 0 };

/**
 * Every workload of the throughput measurements, as data. Ratios are CPU per unit, to the floor program in the same rounds.
 *
 * - `pipeline` names the configuration the program runs with (`coordinator-config.mjs`), or what a decode sidecar is to do: pass
 *   on (`sidecar`), or have another worker prefill (`sidecar-nixlv2`)
 * - `prompt`: tokens of text; `images`: how many, tokens of each, bytes of each in the request and in render's answer
 * - `probe`: how the conditional decode is answered, undefined where the pipeline has none
 * - `stream`: events of the answer, their size (`chat` is a chunk as vLLM writes it), milliseconds between two of them
 * - `connections` are few enough that events mostly arrive alone: a program that falls behind is sent several at once, and
 *   seems cheaper than it is
 * - `target` is what the project promises, `limit` what `--quick` fails on
 */
export const WORKLOADS = [
  text('text-200', { tokens: 200, connections: 20, about: 'chat of 200 tokens, full pipeline', target: 1.5, limit: 3 }),
  text('text-8k', { tokens: 8_192, connections: 20, about: 'chat of 8k tokens, full pipeline', target: 1.5, limit: 3 }),
  text('text-128k', { tokens: 131_072, connections: 8, about: 'chat of 128k tokens, full pipeline', target: 1.5 }),
  text('hit-8k', {
    tokens: 8_192,
    connections: 20,
    probe: 'hit',
    about: 'chat of 8k tokens, the probe answers',
    target: 1.5,
  }),
  images('image-1-openai', 'images', { connections: 6, kwargs: 1_100_000 }),
  images('image-1-generate', 'images-generate', { connections: 5, kwargs: 1_100_000 }),
  images('image-20-openai', 'images', { connections: 2, kwargs: 20_000_000 }),
  images('image-20-generate', 'images-generate', { connections: 2, kwargs: 20_000_000 }),
  fanout('fanout-1', 'fanout-8', { count: 1, connections: 14 }),
  fanout('fanout-8', 'fanout-8', { count: 8, connections: 10 }),
  fanout('fanout-64-by-8', 'fanout-8', { count: 64, connections: 3 }),
  fanout('fanout-64-by-64', 'fanout-64', { count: 64, connections: 3 }),
  relay('stream-long', {
    about: '8 streams of 1,000 events, one a millisecond',
    connections: 8,
    stream: { events: 1_000, size: 64, gap: 1 },
    target: 1.25,
  }),
  relay('stream-many', {
    about: '200 streams of 64-byte events, one each in 25 ms',
    connections: 200,
    stream: { events: 40, size: 64, gap: 25 },
    target: 1.25,
    limit: 3,
  }),
  sidecar('sidecar-200', { tokens: 200, about: 'chat of 200 tokens, decoded beside the sidecar' }),
  sidecar('sidecar-8k', { tokens: 8_192, about: 'chat of 8k tokens, decoded beside the sidecar' }),
  {
    ...sidecar('sidecar-stream', {
      tokens: 20,
      about: '8 streams of 1,000 events through the sidecar, one a millisecond',
    }),
    unit: 'event',
    connections: 8,
    stream: { events: 1_000, size: 64, gap: 1 },
    target: 1.25,
  },
  {
    ...sidecar('sidecar-prefill-8k', { tokens: 8_192, about: 'chat of 8k tokens, prefilled elsewhere with nixlv2' }),
    pipeline: 'sidecar-nixlv2',
  },
];

/** Workloads that only the memory measurements use. */
export const STREAMS = [
  relay('open', { about: 'streams that say little', stream: { events: 100_000, size: 64, gap: 5_000 } }),
  relay('fast', { about: '200 MiB as fast as they are taken', stream: { events: 3_200, size: 65_536, gap: 0 } }),
  relay('brief', {
    about: 'streams that are left after their first event',
    stream: { events: 1_000, size: 64, gap: 20 },
  }),
  {
    ...text('large-body', { tokens: 200, about: 'a request of 30 MB, full pipeline' }),
    prompt: { tokens: 200, characters: 30_000_000 },
  },
];

/** @throws Error when there is no such workload */
export function workloadNamed(name) {
  const found = [...WORKLOADS, ...STREAMS].find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`no workload is called ${name}`);
  return found;
}

/** Calls that one request makes, by phase: what the replaying server must have counted. */
export function callsOf({ pipeline, images: { count }, probe }) {
  if (pipeline === 'relay' || pipeline === 'sidecar') return { decode: 1 };
  if (pipeline === 'sidecar-nixlv2') return { prefill: 1, decode: 1 };
  if (probe === 'hit') return { render: 1, probe: 1 };
  return {
    render: 1,
    ...(probe === undefined ? {} : { probe: 1 }),
    ...(count === 0 ? {} : { encode: count }),
    prefill: 1,
    decode: 1,
  };
}

function text(name, { tokens, ...rest }) {
  const stream = { events: 50, size: 'chat', gap: 2 };
  return {
    name,
    pipeline: 'text',
    unit: 'request',
    prompt: { tokens },
    images: NO_IMAGES,
    probe: 'miss',
    stream,
    ...rest,
  };
}

function images(name, pipeline, { connections, kwargs }) {
  return {
    name,
    pipeline,
    unit: 'request',
    about: `chat of 2 images, ${kwargs / 1e6} MB each from render`,
    prompt: { tokens: 200 },
    images: { count: 2, tokens: 256, data: 100_000, kwargs },
    stream: { events: 50, size: 'chat', gap: 2 },
    connections,
    target: 1.5,
  };
}

function fanout(name, pipeline, { count, connections }) {
  return {
    name,
    pipeline,
    unit: 'request',
    about: `chat of ${count === 1 ? 'a small image' : `${count} small images`}, ${pipeline === 'fanout-8' ? 8 : 64} encode calls at a time`,
    prompt: { tokens: 200 },
    images: { count, tokens: 16, data: 2_000, kwargs: 2_000 },
    stream: { events: 10, size: 'chat', gap: 2 },
    connections,
    target: 1.5,
  };
}

function sidecar(name, { tokens, about }) {
  const stream = { events: 50, size: 'chat', gap: 2 };
  const common = { pipeline: 'sidecar', unit: 'request', images: NO_IMAGES, connections: 20, target: 1.5 };
  return { name, about, ...common, prompt: { tokens }, stream };
}

function relay(name, rest) {
  return { name, pipeline: 'relay', unit: 'event', prompt: { tokens: 20 }, images: NO_IMAGES, ...rest };
}
