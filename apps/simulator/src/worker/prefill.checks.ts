import { asObject, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import type { EcRegistry } from './ec-registry.ts';
import { transferParams } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';
import { kwargsPresent } from './kwargs-data.checks.ts';
import { requireSingleToken, requireUnstored } from './single-token.checks.ts';

/** The `kv_transfer_params` of a prefill call. @throws WireError 400 when it is not one that hands its KV over */
export function prefillParams(api: InferenceApi, body: JsonObject): JsonObject {
  requireSingleToken(api, body);
  requireUnstored(api, body);
  const params = asObject(transferParams(api, body, 'kv_transfer_params'), 'kv_transfer_params');
  if (params['do_remote_decode'] !== true)
    throw new WireError('kv_transfer_params.do_remote_decode must be true for a prefill');
  if (params['do_remote_prefill'] !== false)
    throw new WireError('kv_transfer_params.do_remote_prefill must be false for a prefill');
  const named = ['remote_engine_id', 'remote_block_ids', 'remote_host', 'remote_port'].find(
    (key) => (params[key] ?? null) !== null,
  );
  if (named !== undefined) throw new WireError(`kv_transfer_params.${named} must be null for a prefill`);
  return params;
}

/**
 * Every medium of the prompt must be encoded already, or come with what it takes to encode it here.
 * @param registry undefined when encode workers run elsewhere: what they issued is not known here
 * @throws WireError 400
 */
export function requireEncoded(
  api: InferenceApi,
  body: JsonObject,
  { items }: RenderedPrompt,
  ec: SimulatorConfig['ec'],
  registry: EcRegistry | undefined,
): void {
  const params = transferParams(api, body, 'ec_transfer_params');
  const descriptors = params === undefined ? {} : asObject(params, 'ec_transfer_params');
  if (ec !== 'nixl' && params !== undefined) throw new WireError(`ec_transfer_params is not for the ${ec} connector`);
  for (const [hash, descriptor] of Object.entries(descriptors)) {
    if (!items.some((item) => item.hash === hash))
      throw new WireError(`ec_transfer_params names ${hash}, which is not in the prompt`);
    if (registry?.isIssued(hash, descriptor) === false)
      throw new WireError(`ec_transfer_params.${hash} was not issued by an encode worker`);
  }
  const hasKwargs = api === 'generate' ? kwargsPresent(body['features'], items) : [];
  const missing = items.find((item, i) => {
    if (ec === 'none' || hasKwargs[i] === true || isObject(descriptors[item.hash])) return false;
    return ec === 'shared-storage' || api === 'generate' ? registry?.isEncoded(item.hash) === false : true;
  });
  if (missing !== undefined) throw new WireError(`${missing.modality} ${missing.hash} was not encoded before prefill`);
}
