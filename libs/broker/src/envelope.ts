import { setImmediate as nextTurn } from 'node:timers/promises';
import { RopeBuilder, jsonString, ropeLength } from '#json';
import type { Rope } from '#json';
import type { RequestKeys } from './broker-keys.ts';

/** What the async processor is told of a request. */
export interface Envelope {
  readonly keys: RequestKeys;
  /** 32 hexadecimal digits, for this submission alone. */
  readonly token: string;
  readonly queue: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970. */
  readonly deadline: number;
  /** The client's body, a JSON object. */
  readonly payload: Rope;
  readonly metadata: Readonly<Record<string, string>>;
  /** The client's headers that go with it; none leaves them out. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's path. */
  readonly endpoint: string;
}

/**
 * JSON text of the member of a queue's sorted set. The client's body stands in it byte for byte.
 * @see coordinator.md C.9, "Redis keys and message formats"
 */
export function envelope(request: Envelope): Rope {
  const { keys, token, queue, created, deadline, payload, metadata, headers, endpoint } = request;
  const names = `"request_queue_name":${jsonString(queue)},"result_queue_name":${jsonString(keys.mailbox)}`;
  return new RopeBuilder()
    .text(`{"internal":{"request_token":${jsonString(token)},${names}},"request_kind":"redis",`)
    .text(`"data":{"id":${jsonString(keys.wireId)},"created":${created},"deadline":${deadline},"payload":`)
    .bytes(payload)
    .text(`,"metadata":${JSON.stringify(metadata)}`)
    .text(Object.keys(headers).length === 0 ? '' : `,"headers":${JSON.stringify(headers)}`)
    .text(`,"endpoint":${jsonString(endpoint)},${names}}}`)
    .done();
}

/** Bytes that are copied between two turns of the event loop: about 1 ms. */
const STRETCH = 4 * 1024 * 1024;

/** The rope as one buffer; a large one is copied over several turns of the event loop. */
export async function joinedByTurns(rope: Rope): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(ropeLength(rope));
  let at = 0;
  let rest = STRETCH;
  for (const part of rope) {
    for (let from = 0; from < part.length;) {
      const copied = part.copy(joined, at, from, Math.min(part.length, from + rest));
      from += copied;
      at += copied;
      rest -= copied;
      if (rest > 0) continue;
      await nextTurn();
      rest = STRETCH;
    }
  }
  return joined;
}
