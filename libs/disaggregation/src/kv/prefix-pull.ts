import { randomUUID } from 'node:crypto';
import { buildObject, jsonString } from '#json';
import type { JsonObject, Rope } from '#json';
import { isSameEndpoint } from '#protocol';
import type { HostPort } from '#protocol';
import type { RankListener } from '../disagg-request.ts';
import type { TransferKeys } from './transfer-keys.ts';

/** What the addresses of a pull are made of. */
export interface PullSettings {
  readonly keys: TransferKeys;
  /** Port on which an engine of rank 0 hands blocks over. */
  readonly p2pPort: number;
  readonly dataParallelSize: number;
  /** Port of the base listener; pods of a pool are alike. */
  readonly basePort: number;
  /** `POD_IP`. */
  readonly podIp: string | undefined;
}

/** The parameters by which an engine takes a cached prefix from another pod (`sidecar.md` 4.8). */
export class PrefixPull {
  constructor(private readonly settings: PullSettings) {}

  /** `"p2p": {…}`: the member that goes into `kv_transfer_params`, its id made anew. */
  block(source: HostPort): Readonly<Record<string, Rope>> {
    const { keys } = this.settings;
    return {
      [keys.source]: buildObject({
        kv_request_id: jsonString(randomUUID()),
        remote_host: jsonString(source.host),
        remote_port: String(this.portOf(source)),
      }),
    };
  }

  /** The body of a request that is decoded here with a prefix from elsewhere; what a client sent as parameters is dropped on purpose. */
  forDecode(body: JsonObject, source: HostPort): JsonObject {
    return body.set('kv_transfer_params', buildObject(this.block(source)));
  }

  /** Whether the source is the engine behind the listener. */
  isOwn(source: HostPort, listener: RankListener): boolean {
    const { podIp } = this.settings;
    return podIp !== undefined && isSameEndpoint(source, { host: podIp, port: listener.port });
  }

  /** The hand-over port of the engine behind a sidecar's listener: that of rank 0 and the rank of the listener. */
  portOf({ port }: HostPort): number {
    const { p2pPort, dataParallelSize, basePort } = this.settings;
    const rank = port - basePort;
    return dataParallelSize > 1 && rank >= 0 && rank < dataParallelSize ? p2pPort + rank : p2pPort;
  }
}
