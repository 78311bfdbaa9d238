import { JsonObject, buildObject, joinRope, jsonString, rawJson } from '#json';
import type { Rope } from '#json';
import type { Transfer } from './dp-rank.ts';
import type { MoriioSettings } from './moriio.settings.ts';

/** Where the two sides are, as addresses. */
export interface WriteHosts {
  /** The pod that decodes: this one. */
  readonly local: string;
  /** Pods of the decode side, in the order of their ranks; empty where there is but one. */
  readonly decode: readonly string[];
  /** The same of the prefill side. */
  readonly prefill: readonly string[];
}

type Members = Readonly<Record<string, Rope>>;

const TRUE = rawJson('true');

/** What prefill is told beside the six fields of every transfer: where to write the blocks to (`sidecar.md` 4.3). */
export function prefillMembers(transfer: Transfer, hosts: WriteHosts, settings: MoriioSettings): Members {
  return {
    remote_host: text(hosts.local),
    remote_notify_port: number(settings.decodeNotifyPort),
    ...rankMembers(transfer.rank),
    remote_handshake_port: number(settings.decodeHandshakePort),
    transfer_id: text(transfer.id),
    ...sizes(settings),
    ...hostMembers(hosts.decode, settings),
  };
}

/** What decode is told where prefill has answered: its parameters as they came, with the rank, and what it left out. */
export function decodeParams(given: JsonObject, transfer: Transfer, hosts: WriteHosts, settings: MoriioSettings): Rope {
  const defaults: Members = {
    transfer_id: text(transfer.id),
    remote_notify_port: number(settings.prefillNotifyPort),
    remote_handshake_port: number(settings.prefillHandshakePort),
    remote_dp_size: number(settings.dpSize),
    ...hostMembers(hosts.prefill, settings),
  };
  const missing = Object.entries(defaults).filter(([key]) => !given.has(key));
  return given.setAll({ ...rankMembers(transfer.rank), ...Object.fromEntries(missing) }).toRope();
}

/** What decode is told where it starts together with prefill: all of it made here (`sidecar.md` 4.4). */
export function parallelDecodeParams(
  prefillHost: string,
  transfer: Transfer,
  hosts: WriteHosts,
  settings: MoriioSettings,
): Rope {
  const port = String(settings.prefillHandshakePort);
  return buildObject({
    do_remote_prefill: 'true',
    do_remote_decode: 'false',
    remote_engine_id: jsonString(`${prefillHost}:${port}`),
    remote_block_ids: '[]',
    remote_host: jsonString(prefillHost),
    remote_port: port,
    remote_notify_port: String(settings.prefillNotifyPort),
    ...rankMembers(transfer.rank),
    remote_handshake_port: port,
    transfer_id: jsonString(transfer.id),
    ...sizes(settings),
    ...hostMembers(hosts.prefill, settings),
  });
}

/** The six fields with further members behind them, or in their place. */
export function withMembers(params: Rope, members: Members): Rope {
  return JsonObject.of(joinRope(params)).setAll(members).toRope();
}

function rankMembers(rank: number): Members {
  return { remote_dp_rank: number(rank), remote_dp_rank_override: TRUE };
}

function sizes({ tpSize, dpSize }: MoriioSettings): Members {
  return { tp_size: number(tpSize), remote_dp_size: number(dpSize) };
}

function hostMembers(hosts: readonly string[], { dpSizeLocal }: MoriioSettings): Members {
  if (hosts.length === 0) return {};
  const list = rawJson(`[${hosts.map(jsonString).join(',')}]`);
  return dpSizeLocal > 0 ? { remote_hosts: list, remote_dp_size_local: number(dpSizeLocal) } : { remote_hosts: list };
}

function text(value: string): Rope {
  return rawJson(jsonString(value));
}

function number(value: number): Rope {
  return rawJson(String(value));
}
