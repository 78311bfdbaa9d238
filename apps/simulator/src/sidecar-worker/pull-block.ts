import { asObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { requireKeys, someText } from './sidecar-kv.ts';

/** How the members of `kv_transfer_params` are called by which blocks go from pod to pod, by the style of `--p2p-key-style`. */
export const P2P_KEYS = {
  seed: { decoder: 'decode', prefiller: 'prefill', source: 'p2p' },
  current: { decoder: 'remote_decoder', prefiller: 'remote_prefiller', source: 'remote_kv_source' },
} as const;
export type P2pKeys = (typeof P2P_KEYS)[keyof typeof P2P_KEYS];

/** Which transfer, and from where. */
export interface P2pAddress {
  readonly id: string;
  readonly host: string;
  readonly port: number;
}

/** `{"kv_request_id", "remote_host", "remote_port"}` and nothing else. @throws WireError 400 */
export function p2pAddress(value: unknown, where: string): P2pAddress {
  const block = asObject(value, where);
  requireKeys(block, ['kv_request_id', 'remote_host', 'remote_port'], where);
  const { kv_request_id: id, remote_host: host, remote_port: port } = block;
  if (typeof port !== 'number' || !Number.isInteger(port)) throw new WireError(`${where}.remote_port must be a port`);
  return { id: someText(id, `${where}.kv_request_id`), host: someText(host, `${where}.remote_host`), port };
}

/** The parameters without the block that names the source of a cached prefix, which is looked at. @throws WireError 400 */
export function withoutPull(params: JsonObject, { source }: P2pKeys): JsonObject {
  if (!(source in params)) return params;
  const { [source]: block, ...rest } = params;
  p2pAddress(block, `kv_transfer_params.${source}`);
  return rest;
}
