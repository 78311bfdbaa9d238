import { asObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { WorkerCall } from '../worker/worker-call.ts';

/** `kv_transfer_params`, which sidecars put at the top of every form; undefined where there is none. @throws WireError 400 */
export function kvParams({ body }: WorkerCall): JsonObject | undefined {
  const { kv_transfer_params: params } = body;
  return params === undefined || params === null ? undefined : asObject(params, 'kv_transfer_params');
}

/** The two flags that say which side a call is on. @throws WireError 400 */
export function requireSide(params: JsonObject, side: 'prefill' | 'decode'): void {
  requireFlag(params, 'do_remote_decode', side === 'prefill');
  requireFlag(params, 'do_remote_prefill', side === 'decode');
}

function requireFlag(params: JsonObject, key: string, needed: boolean): void {
  if (params[key] !== needed) throw new WireError(`kv_transfer_params.${key} must be ${needed}`);
}
