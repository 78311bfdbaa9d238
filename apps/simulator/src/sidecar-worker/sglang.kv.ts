import { JsonObject as JsonBytes } from '#json';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { LOCAL } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';
import { SidecarKv, handedOver, met } from './sidecar-kv.ts';
import type { MeetingPlace } from './sidecar-kv.ts';

const FIELDS = ['bootstrap_host', 'bootstrap_port', 'bootstrap_room'] as const;
const MAX_ROOM = 2n ** 63n - 1n;

/** Both workers are sent the same three fields, and meet where these say (`sidecar.md` 4.6). */
export class SglangKv extends SidecarKv {
  /** @param port on which prefill workers are to be met */
  constructor(
    private readonly place: MeetingPlace,
    private readonly port: number,
  ) {
    super();
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt, { host }: Peer): HandOver {
    const room = this.roomOf(call);
    if (room === undefined) throw new WireError('bootstrap_room must be there for a prefill');
    if (call.body['bootstrap_host'] !== host) throw new WireError(`bootstrap_host must be this worker, ${host}`);
    return handedOver(this.place, room, call, prompt);
  }

  async decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const room = this.roomOf(call);
    return room === undefined ? LOCAL : met(this.place, room, call, prompt);
  }

  /** The name of the room, its digits as they came; undefined where there is none. @throws WireError 400 for a part of the fields, or one that is not what it must be */
  roomOf({ body, bytes }: WorkerCall): readonly unknown[] | undefined {
    const missing = FIELDS.filter((field) => !(field in body));
    if (missing.length === FIELDS.length) return undefined;
    if (missing.length > 0) throw new WireError(`${missing.join(', ')} must be there, too`);
    const { bootstrap_host: host, bootstrap_port: port } = body;
    if (port !== this.port) throw new WireError(`bootstrap_port must be ${this.port}, got ${JSON.stringify(port)}`);
    const digits = JsonBytes.of(bytes).get('bootstrap_room')?.bytes.toString() ?? '';
    if (!/^\d{1,19}$/.test(digits) || BigInt(digits) > MAX_ROOM)
      throw new WireError(`bootstrap_room must be an integer below 2^63, got ${digits}`);
    return ['sglang', host, port, digits];
  }
}
