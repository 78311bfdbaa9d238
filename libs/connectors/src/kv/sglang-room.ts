import { randomBytes } from 'node:crypto';
import { jsonString, rawJson } from '#json';
import type { JsonObject, JsonValue, Rope } from '#json';
import { bracketed } from '#protocol';

/** The place where two SGLang workers of one request meet. */
export interface SglangRoom {
  /** The prefill worker's; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** From 0 to 2^63 - 1; the engines take its remainder for the rank, so the low bits must be random. */
  readonly id: bigint;
}

const INT63 = 0x7fff_ffff_ffff_ffffn;

/** Outermost members of both bodies. */
export function roomMembers({ host, port, id }: SglangRoom): Readonly<Record<string, Rope>> {
  return {
    // the engine puts the port behind it as it is
    bootstrap_host: rawJson(jsonString(bracketed(host))),
    bootstrap_port: rawJson(String(port)),
    bootstrap_room: rawJson(String(id)),
  };
}

/** As a number it would lose digits, so it is written as text (`field-reports.md` 24). */
export function randomRoom(): bigint {
  return randomBytes(8).readBigUInt64BE() & INT63;
}

/**
 * Why a request has no room: it makes several sequences, and one room has place for one. The second of them would wait for ever
 * (`field-reports.md` 63).
 */
export function roomConflict(body: JsonObject): 'several_sequences' | 'batched_prompt' | undefined {
  if (!isOneSequence(body.get('n'))) return 'several_sequences';
  return isBatched(body.get('prompt')) ? 'batched_prompt' : undefined;
}

/** @param n as the client wrote it */
export function isOneSequence(n: JsonValue | undefined): boolean {
  return n === undefined || n.isNull || n.number === 1;
}

/** A list of token ids is one prompt, any other list is several, be it of one. */
function isBatched(prompt: JsonValue | undefined): boolean {
  if (prompt?.kind !== 'array') return false;
  const first = prompt.items().next();
  return first.done === true || first.value.kind !== 'number';
}
