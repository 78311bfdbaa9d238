import { randomRoom, roomConflict, roomMembers } from '#connectors';
import type { ClientResponse } from '#pipeline';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { StageClient } from '../stage.client.ts';
import { DetachedPrefill } from './detached-prefill.ts';
import { KvTransfer } from './kv-transfer.ts';

/** The paths whose requests have fields for a room. */
const PATHS_WITH_ROOM: ReadonlySet<string | undefined> = new Set(['/v1/chat/completions', '/v1/completions']);

/**
 * SGLang: both workers are sent the same body at once, and meet in a room on the prefill worker (`sidecar.md` 4.6). A request has
 * one room, so what makes several sequences of it runs on one engine.
 */
export class SglangTransfer extends KvTransfer {
  readonly name = 'sglang';
  private readonly legs: DetachedPrefill;

  /**
   * @param bootstrapPort `SGLANG_BOOTSTRAP_PORT`
   * @param room the id of a request's room
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
    return roomConflict(json);
  }

  run(request: TransferRequest): Promise<ClientResponse> {
    const room = { host: request.prefiller.host, port: this.bootstrapPort, id: this.room() };
    const body = request.json.setAll(roomMembers(room));
    return this.legs.run(request, { prefill: body, decode: body });
  }
}
