import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { promptDigest } from '../worker/kv-leases.ts';
import { requireEveryLimit, requireSingleToken } from '../worker/single-token.checks.ts';
import { LOCAL } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { WorkerCall } from '../worker/worker-call.ts';
import { SidecarKv } from './sidecar-kv.ts';

const KEPT_PROMPTS = 10_000;

/** A store that every worker reads: what prefill has computed lies there, and no call says more than that (`sidecar.md` 4.5). */
export class SharedStorageKv extends SidecarKv {
  /** By digest of the prompt, what its prefill had cached. */
  private readonly stored = new Map<string, number>();

  prefill({ api, body }: WorkerCall, prompt: RenderedPrompt): HandOver {
    requireSingleToken(api, body);
    requireEveryLimit(api, body);
    if (body['cache_hit_threshold'] !== 0) throw new WireError('cache_hit_threshold must be 0 for a prefill');
    return (cachedTokens) => {
      this.stored.set(promptDigest(prompt), cachedTokens);
      const [oldest] = this.stored.keys();
      if (this.stored.size > KEPT_PROMPTS && oldest !== undefined) this.stored.delete(oldest);
      return null;
    };
  }

  decode(_call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const cachedTokens = this.stored.get(promptDigest(prompt));
    return Promise.resolve(cachedTokens === undefined ? LOCAL : { remote: true, cachedTokens });
  }
}
