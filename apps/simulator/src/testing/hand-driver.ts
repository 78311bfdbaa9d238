import { isObject, parseObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import type { Profile } from '../gateway/endpoint-pool.ts';
import { png } from '../media/png.ts';
import type { SimulatedCluster } from '../cluster.ts';
import { API_PATHS } from '../worker/inference-api.ts';
import type { InferenceApi } from '../worker/inference-api.ts';

/** An answer, read to its end. */
export interface HandReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as an object; empty when it is none. */
  readonly json: JsonObject;
  /** `data:` payloads in order, `[DONE]` included. */
  readonly events: readonly string[];
}

/** Takes the coordinator's place: makes the calls of a request one by one, as `wire.md` has them, through the gateway. */
export class HandDriver {
  constructor(
    private readonly cluster: SimulatedCluster,
    readonly requestId = 'hand-1',
  ) {}

  render(api: InferenceApi, body: JsonObject): Promise<HandReply> {
    return this.post(`${this.cluster.render.url}${API_PATHS[api]}/render`, body, {});
  }

  call(
    profile: Profile,
    api: InferenceApi,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HandReply> {
    return this.post(`${this.cluster.gateway.url}${API_PATHS[api]}`, body, { 'EPP-Profile': profile, ...headers });
  }

  probe(api: InferenceApi, body: JsonObject): Promise<HandReply> {
    return this.call('decode', api, body, { Prefer: 'if-available' });
  }

  private async post(url: string, body: JsonObject, headers: Readonly<Record<string, string>>): Promise<HandReply> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': this.requestId, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const json = isJson && text.startsWith('{') ? parseObject(Buffer.from(text)) : {};
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');
    return { status: response.status, headers: response.headers, text, json, events };
  }
}

export const RED = `data:image/png;base64,${png(90, 60, [200, 0, 0]).toString('base64')}`;
export const BLUE = `data:image/png;base64,${png(30, 28, [0, 0, 200]).toString('base64')}`;
export const PROMPT = 'Tell me in a few plain words how a bridge is built and why it stays up in a strong wind.';

export const textChat: JsonObject = { model: 'm', messages: [{ role: 'user', content: PROMPT }] };

export function imagePart(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

export const imageChat: JsonObject = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: PROMPT }, imagePart(RED), imagePart(BLUE)] }],
};

/** The `tokens` object of a rendered chat: what render said, without `kwargs_data`. */
export function tokensOf(rendered: JsonObject): JsonObject {
  const { token_ids, features } = rendered;
  if (!isObject(features)) return { token_ids };
  return { token_ids, features: { mm_hashes: features['mm_hashes'], mm_placeholders: features['mm_placeholders'] } };
}

export const NIXL_PREFILL: JsonObject = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

export function prefillBody(chat: JsonObject, rendered: JsonObject, ec?: JsonObject): JsonObject {
  const body = { ...chat, max_tokens: 1, tokens: tokensOf(rendered), stream: false, kv_transfer_params: NIXL_PREFILL };
  return ec === undefined ? body : { ...body, ec_transfer_params: ec };
}

/** @param prefilled the prefill's answer */
export function decodeBody(chat: JsonObject, rendered: JsonObject, prefilled: JsonObject): JsonObject {
  const handed = isObject(prefilled['kv_transfer_params']) ? prefilled['kv_transfer_params'] : {};
  const flags = { do_remote_decode: false, do_remote_prefill: true };
  return { ...chat, tokens: tokensOf(rendered), kv_transfer_params: { ...handed, ...flags } };
}

/** One encode call, for the image at `index` of the rendered chat. */
export function encodeBody(url: string, rendered: JsonObject, index: number): JsonObject {
  const { features, token_ids: ids } = rendered;
  // The driver is for answers of this simulator's render only, whose shape its own spec pins.
  const { mm_hashes: hashes, mm_placeholders: places } = features as {
    mm_hashes: { image: string[] };
    mm_placeholders: { image: { offset: number; length: number }[] };
  };
  const { offset, length } = places.image[index] ?? { offset: 0, length: 0 };
  const tokenIds = ids as number[];
  return {
    model: 'm',
    messages: [{ role: 'user', content: [imagePart(url)] }],
    tokens: {
      token_ids: [tokenIds[0], ...Array<number | undefined>(length).fill(tokenIds[offset])],
      features: { mm_hashes: { image: [hashes.image[index]] }, mm_placeholders: { image: [{ offset: 1, length }] } },
    },
    max_tokens: 1,
    stream: false,
  };
}
