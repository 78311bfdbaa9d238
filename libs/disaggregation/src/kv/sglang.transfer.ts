import { randomBytes } from 'node:crypto';
import { jsonString, rawJson } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import { bracketed } from '../host-port.ts';
import type { StageClient } from '../stage.client.ts';
import { DetachedPrefill } from './detached-prefill.ts';
import { KvTransfer } from './kv-transfer.ts';

/** The paths whose requests have fields for a room. */
const PATHS_WITH_ROOM: ReadonlySet<string | undefined> = new Set(['/v1/chat/completions', '/v1/completions']);
const INT63 = 0x7fff_ffff_ffff_ffffn;

/**
 * SGLang: both workers are sent the same body at once, and meet in a room on the prefill worker (`sidecar.md` 4.6). A request has
 * one room, so what makes several sequences of it runs on one engine.
 */
export class SglangTransfer extends KvTransfer {
  readonly name = 'sglang';
  private readonly legs: DetachedPrefill;

  /**
   * @param bootstrapPort `SGLANG_BOOTSTRAP_PORT`
   * @param room from 0 to 2^63 - 1; the engines take its remainder for the rank, so the low bits must be random
   */
  constructor(
    stages: StageClient,
    decode: LocalDecode,
    private readonly bootstrapPort: number,
    private readonly room: () => bigint = randomRoom,
  ) {
    super();
    this.legs = new DetachedPrefill(stages, decode);
  }

  override bypass({ path, json }: TransferRequest): string | undefined {
    if (!PATHS_WITH_ROOM.has(path.split('?', 1)[0])) return 'no_room_fields';
    if (!isOneSequence(json)) return 'several_sequences';
    return isBatched(json) ? 'batched_prompt' : undefined;
  }

  run(request: TransferRequest): Promise<ClientResponse> {
    const body = request.json.setAll({
      // the engine puts the port behind it as it is
      bootstrap_host: rawJson(jsonString(bracketed(request.prefiller.host))),
      bootstrap_port: rawJson(String(this.bootstrapPort)),
      bootstrap_room: rawJson(String(this.room())),
    });
    return this.legs.run(request, { prefill: body, decode: body });
  }
}

/** As a number it would lose digits, so it is written as text (`field-reports.md` 24). */
function randomRoom(): bigint {
  return randomBytes(8).readBigUInt64BE() & INT63;
}

function isOneSequence(body: JsonObject): boolean {
  const n = body.get('n');
  return n === undefined || n.isNull || n.number === 1;
}

/** A list of token ids is one prompt, any other list is several, be it of one. */
function isBatched(body: JsonObject): boolean {
  const prompt = body.get('prompt');
  if (prompt?.kind !== 'array') return false;
  const first = prompt.items().next();
  return first.done === true || first.value.kind !== 'number';
}
