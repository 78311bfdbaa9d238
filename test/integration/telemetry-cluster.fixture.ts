import type { ServerResponse } from 'node:http';
import { FakeUpstream, json } from '#testing';
import type { RecordedRequest } from '#testing';

export type Phase = 'media' | 'render' | 'probe' | 'encode' | 'reserve' | 'prefill' | 'decode' | 'passthrough';

/** Answers one call of a phase. */
export type PhaseHandler = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>;

/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The events of a decode that says two words. */
export const EVENTS = [
  '{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}',
  '{"choices":[{"index":0,"delta":{"content":"one"}}]}',
  '{"choices":[{"index":0,"delta":{"content":" two"}}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}',
  '[DONE]',
] as const;

/** Render, workers behind a gateway and an origin of media, all at one address. */
export class ObservedCluster {
  /** What answers a phase from now on. */
  readonly handlers: Record<Phase, PhaseHandler> = { ...ANSWERS };

  private constructor(private readonly upstream: FakeUpstream) {}

  static async start(): Promise<ObservedCluster> {
    const upstream = await FakeUpstream.start(() => undefined);
    const cluster = new ObservedCluster(upstream);
    upstream.handler = (request, response) => cluster.handlers[phaseOf(request)](response, request);
    return cluster;
  }

  get url(): string {
    return this.upstream.url;
  }

  /** The calls of a phase, or all. */
  calls(phase?: Phase): readonly RecordedRequest[] {
    return this.upstream.requests.filter((request) => phase === undefined || phaseOf(request) === phase);
  }

  /** Done when a call of the phase has come in. */
  async received(phase: Phase): Promise<void> {
    while (this.calls(phase).length === 0) await this.upstream.received(this.upstream.requests.length + 1);
  }

  /** Answers as at first, and forgets the calls so far. */
  reset(): void {
    Object.assign(this.handlers, ANSWERS);
    this.upstream.requests.length = 0;
  }

  close(): Promise<void> {
    return this.upstream.close();
  }
}

/** Which phase a call is of. */
export function phaseOf({ path, headers, method }: RecordedRequest): Phase {
  if (path.startsWith('/media/')) return 'media';
  if (path.endsWith('/render')) return 'render';
  if (headers['prefer'] === 'reserve-endpoint') return 'reserve';
  if (headers['prefer'] !== undefined) return 'probe';
  const profile = headers['epp-profile'];
  if (profile === 'encode' || profile === 'prefill') return profile;
  return method === 'POST' && /\/(completions|responses|generate)$/.test(path) ? 'decode' : 'passthrough';
}

/** An event stream. @param pause milliseconds before each event */
export async function stream(response: ServerResponse, events: readonly string[] = EVENTS, pause = 0): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const event of events) {
    if (pause > 0) await sleep(pause);
    response.write(`data: ${event}\n\n`);
  }
  response.end();
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const ANSWERS: Readonly<Record<Phase, PhaseHandler>> = {
  media: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(PIXEL, 'base64')),
  render: (response, { body, path }) => {
    const rendered = renderedPrompt(body.toString().split('"image_url":').length - 1);
    json(response, path.startsWith('/v1/completions') ? [rendered] : rendered);
  },
  probe: (response) => json(response, { error: { message: 'not cached' } }, 412),
  encode: (response) => json(response, { ec_transfer_params: { [`key-${Math.random()}`]: { peer_port: 1 } } }),
  reserve: (response) => void response.writeHead(204, { 'x-llm-d-reserved-host-port': '10.0.0.7:8000' }).end(),
  prefill: (response) => json(response, { kv_transfer_params: { remote_host: 'h', remote_port: 1 } }),
  decode: (response, { body }) =>
    body.includes('"stream":true')
      ? stream(response)
      : json(response, {
          choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
        }),
  passthrough: (response) => json(response, { data: [] }),
};

/** Render's answer for a prompt with so many pictures. */
function renderedPrompt(images: number): object {
  const each = Array.from({ length: images }, (_, index) => index);
  const features = {
    mm_hashes: { image: each.map((index) => `hash-${index}`) },
    mm_placeholders: { image: each.map((index) => ({ offset: 1 + index, length: 1 })) },
    kwargs_data: { image: each.map(() => null) },
  };
  return { token_ids: [9, 8, 7, 6, 5], ...(images === 0 ? {} : { features }) };
}
