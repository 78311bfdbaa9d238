import { isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';

const TYPES = ['image_url', 'audio_url', 'video_url'] as const;
const WITHIN_MS = 10_000;

/** The body with the media of its messages in place of their http URLs, as an engine has them. @throws WireError 400 for one that cannot be had */
export async function withFetchedMedia(body: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  return { ...body, messages: await Promise.all(messages.map((message: unknown) => inMessage(message, signal))) };
}

async function inMessage(message: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isObject(message) || !Array.isArray(message['content'])) return message;
  const parts: readonly unknown[] = message['content'];
  return { ...message, content: await Promise.all(parts.map((part) => inPart(part, signal))) };
}

async function inPart(part: unknown, signal: AbortSignal): Promise<unknown> {
  const type = isObject(part) ? TYPES.find((name) => name === part['type']) : undefined;
  if (!isObject(part) || type === undefined) return part;
  const named = part[type];
  const url = isObject(named) ? named['url'] : named;
  if (typeof url !== 'string' || !/^https?:/i.test(url)) return part;
  const data = await dataUri(url, signal);
  return { ...part, [type]: isObject(named) ? { ...named, url: data } : data };
}

async function dataUri(url: string, signal: AbortSignal): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const answer = await fetch(url, { signal: within });
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    return `data:${type};base64,${Buffer.from(await answer.arrayBuffer()).toString('base64')}`;
  } catch (error) {
    signal.throwIfAborted();
    throw new WireError('a medium could not be fetched', 400, { cause: error });
  }
}
