import { InternalError } from '#foundation';
import type { UpstreamReply } from '#gateway';
import { JsonSyntaxError, JsonValue, validatedObject } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import { EventReader, isCoded, isEventStream } from '#protocol';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { ReadRequest } from '../disagg-request.ts';
import { isGood } from '../stage-failure.ts';
import { HeldStream } from './held-stream.ts';

const BELOW = 'cache_threshold';
/** Events after which a stream is the answer: the first may be the role alone. */
const EVENTS = 2;
/** Bytes that are held of a stream, and of an answer that does not stream: one that refuses has no text. */
const MAX_STREAM = 256 * 1024;
const MAX_ANSWER = 1024 * 1024;

/** Asks the engine beside us for an answer from the cache alone: it ends with `cache_threshold` where too little of the prompt is in it (`sidecar.md` 4.5). */
export class DecodeFirst {
  constructor(private readonly decode: LocalDecode) {}

  /**
   * @returns undefined where the prompt has to be prefilled
   * @throws as `LocalDecode.stream`, and InternalError for an answer that is neither JSON nor a stream
   */
  async run(request: ReadRequest, body: JsonObject): Promise<ClientResponse | undefined> {
    const reply = await this.decode.stream(request, body);
    if (!isGood(reply.status) || isCoded(reply.headers)) return reply;
    return isEventStream(reply.headers) ? streamed(reply) : whole(reply);
  }
}

async function streamed(reply: UpstreamReply): Promise<ClientResponse | undefined> {
  const events = new FirstEvents();
  const body = new HeldStream(reply.body, (chunk) => events.isEnough(chunk));
  await body.begin();
  if (body.bytes !== undefined) events.end();
  if (!events.isRefusal) return { ...reply, body };
  body.discard();
  return undefined;
}

/** The beginning of a stream, as far as it tells whether the stream is the answer. */
class FirstEvents {
  isRefusal = false;
  private count = 0;
  private size = 0;
  private readonly reader = new EventReader((data, isWhole) => {
    this.count++;
    this.isRefusal ||= isWhole && data.includes(BELOW) && isRefusal(Buffer.from(data, 'latin1'));
  });

  isEnough(chunk: Buffer): boolean {
    this.size += chunk.length;
    this.reader.push(chunk);
    return this.isRefusal || this.count >= EVENTS || this.size > MAX_STREAM;
  }

  /** Nothing follows: a last line without an end is one. */
  end(): void {
    this.reader.end();
  }
}

async function whole(reply: UpstreamReply): Promise<ClientResponse | undefined> {
  let size = 0;
  const body = new HeldStream(reply.body, (chunk) => (size += chunk.length) > MAX_ANSWER);
  await body.begin();
  const { bytes } = body;
  if (bytes === undefined || !isBelow((await checked(bytes)).get('choices'))) return { ...reply, body };
  return undefined;
}

/** @throws InternalError for what is no JSON object */
async function checked(bytes: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new InternalError(error) : error;
  }
}

function isRefusal(event: Buffer): boolean {
  try {
    return isBelow(JsonValue.read(event).member('choices'));
  } catch (error) {
    // an engine's event may be anything
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/** Whether the first choice has ended for want of cached blocks. */
function isBelow(choices: JsonValue | undefined): boolean {
  const [choice] = choices?.items() ?? [];
  return choice?.member('finish_reason')?.string === BELOW;
}
