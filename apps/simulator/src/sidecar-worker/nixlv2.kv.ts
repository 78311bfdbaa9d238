import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { KvRegistry } from '../worker/kv-registry.ts';
import { requireEveryLimit, requireSingleToken } from '../worker/single-token.checks.ts';
import { LOCAL } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';
import { withoutPull } from './pull-block.ts';
import type { P2pKeys } from './pull-block.ts';
import { SidecarKv, requireKeys } from './sidecar-kv.ts';
import { kvParams, requireSide } from './sidecar-params.ts';

const NULL_KEYS = ['remote_engine_id', 'remote_block_ids', 'remote_host', 'remote_port'] as const;
const KEPT_ISSUES = 10_000;

/** Decode is sent what prefill answered, as it was (`sidecar.md` 4.2). */
export class NixlV2Kv extends SidecarKv {
  /** What was answered, by the blocks that it names. */
  private readonly issued = new Map<string, JsonObject>();

  /** @param registry undefined where prefill workers run elsewhere */
  constructor(
    private readonly registry: KvRegistry | undefined,
    private readonly keys: P2pKeys,
  ) {
    super();
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver {
    const { api, body, requestId } = call;
    requireSingleToken(api, body);
    requireEveryLimit(api, body);
    const params = withoutPull(kvParams(call) ?? {}, this.keys);
    requireKeys(params, ['do_remote_decode', 'do_remote_prefill', ...NULL_KEYS], 'kv_transfer_params');
    requireSide(params, 'prefill');
    const named = NULL_KEYS.find((key) => params[key] !== null);
    if (named !== undefined) throw new WireError(`kv_transfer_params.${named} must be null for a prefill`);
    return (cachedTokens) => {
      const answer = this.registry?.issueNixl(prompt, cachedTokens, peer, requestId) ?? {};
      this.remember(answer);
      return answer;
    };
  }

  decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const params = kvParams(call);
    if (params === undefined || this.registry === undefined) return Promise.resolve(LOCAL);
    const pulled = withoutPull(params, this.keys);
    if (pulled !== params && Object.keys(pulled).length === 0)
      return Promise.resolve({ remote: true, cachedTokens: 0 });
    const cachedTokens = this.registry.claimNixl(params, prompt, call.requestId);
    if (!isDeepStrictEqual(params, this.issued.get(blocksOf(params))))
      throw new WireError('kv_transfer_params is not what prefill answered');
    return Promise.resolve({ remote: true, cachedTokens });
  }

  private remember(answer: JsonObject): void {
    this.issued.set(blocksOf(answer), answer);
    const [oldest] = this.issued.keys();
    if (this.issued.size > KEPT_ISSUES && oldest !== undefined) this.issued.delete(oldest);
  }
}

function blocksOf({ remote_engine_id: engine, remote_block_ids: blocks }: JsonObject): string {
  return JSON.stringify([engine, blocks]);
}
