import { WireError } from '../control/wire-error.ts';
import type { JsonObject } from '../control/json-value.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { KvLeases } from '../worker/kv-leases.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';

/** The engines' side of one `--kv-connector` of the decode sidecar (`sidecar.md` 4). */
export abstract class SidecarKv {
  /** Looks at a prefill before it is computed. @throws WireError 400 */
  abstract prefill(call: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver;

  /** @throws WireError */
  abstract decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource>;
}

/** Where both legs run at once, and decode waits for prefill. */
export interface MeetingPlace {
  /** Undefined where prefill workers run elsewhere: what they issue is not known here. */
  readonly leases: KvLeases | undefined;
  /** Milliseconds that decode waits. */
  readonly waitMs: number;
}

/** The prompt under a name that its prefill has, or will have. @throws WireError */
export async function met(
  { leases, waitMs }: MeetingPlace,
  name: readonly unknown[],
  { requestId, signal }: WorkerCall,
  prompt: RenderedPrompt,
): Promise<KvSource> {
  const cachedTokens = await leases?.meet(JSON.stringify(name), { prompt, requestId }, waitMs, signal);
  return { remote: true, cachedTokens: cachedTokens ?? 0 };
}

/** Leaves the prompt under a name. @throws WireError 400 when that is in use */
export function handedOver(
  { leases }: MeetingPlace,
  name: readonly unknown[],
  { requestId }: WorkerCall,
  prompt: RenderedPrompt,
): HandOver {
  const key = JSON.stringify(name);
  if (leases?.has(key) === true) throw new WireError('another transfer has that name');
  return (cachedTokens) => {
    leases?.keep(key, { prompt, cachedTokens, requestId });
    return null;
  };
}

/** @throws WireError 400 unless the object has these keys and no others */
export function requireKeys(object: JsonObject, keys: readonly string[], where: string): void {
  const found = Object.keys(object).toSorted().join(', ');
  const needed = keys.toSorted().join(', ');
  if (found !== needed) throw new WireError(`${where} must have ${needed}, got ${found || 'nothing'}`);
}

/** @throws WireError 400 */
export function someText(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw new WireError(`${where} must be a text`);
  return value;
}
