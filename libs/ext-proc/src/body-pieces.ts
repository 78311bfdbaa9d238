import type { StreamedBody } from './messages.ts';

/** Bytes of a body in one message: Envoy takes no more than 64 KiB at a time, framing included (`epp.md` 1.4). */
const PIECE = 62_000;

/** A body in pieces that share its bytes. The last one has the end if the body has; of an empty body there is one piece, and empty. */
export function* bodyPieces(body: Buffer, hasEnd: boolean): Generator<StreamedBody, void> {
  for (let start = 0; start === 0 || start < body.length; start += PIECE) {
    const isLast = start + PIECE >= body.length;
    yield { body: body.subarray(start, start + PIECE), end_of_stream: isLast && hasEnd };
  }
}
