import { createHash, randomUUID } from 'node:crypto';
import type { JsonObject } from '#json';

const HEADER = 'x-data-parallel-rank';

/** One transfer: what both sides know it by, and the rank that is to make it. */
export interface Transfer {
  readonly id: string;
  readonly rank: number;
}

/**
 * A transfer of its own for each request: an id that the client chose may be in use twice.
 * @param dpSize ranks to choose from; up to 1 stands for one
 */
export function newTransfer(dpSize: number): Transfer {
  const uuid = randomUUID();
  return { id: `tx${uuid}`, rank: rankOf(uuid, dpSize) };
}

/** Rank of a text, as even as its hash: the first 8 bytes of BLAKE2s-256, big-endian, modulo the number of ranks (`sidecar.md` 4.3). */
export function rankOf(text: string, dpSize: number): number {
  if (dpSize <= 1) return 0;
  const digest = createHash('blake2s256').update(text).digest();
  return Number(digest.readBigUInt64BE() % BigInt(dpSize));
}

/** `remote_dp_rank` of prefill's parameters where it is a whole number that names a rank; else the one that was asked for. */
export function returnedRank(params: JsonObject | undefined, dpSize: number, asked: number): number {
  if (dpSize <= 1) return 0;
  const rank = params?.get('remote_dp_rank')?.number;
  return rank !== undefined && Number.isInteger(rank) && rank >= 0 && rank < dpSize ? rank : asked;
}

/** The header by which an engine gives a request to a rank; none where there is one rank only. */
export function rankHeader(rank: number, dpSize: number): readonly string[] {
  return dpSize > 1 ? [HEADER, String(rank)] : [];
}
