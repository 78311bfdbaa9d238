import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER, TOKEN_PRODUCER } from '../default-producers.ts';
import { hostPort } from '../endpoint.ts';
import type {
  Decider,
  PluginContext,
  PreRequest,
  ProfileHandler,
  ProfileResults,
  SchedulingResult,
} from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { concludeWith } from './conclude.ts';
import { disaggParams } from './disagg-profile.params.ts';
import type { DisaggParams } from './disagg-profile.params.ts';

export const PREFILLER = 'x-prefiller-host-port';
export const ENCODERS = 'x-encoder-hosts-ports';

type Stage = 'prefill' | 'encode';

/**
 * All stages of a request in one cycle, for clusters whose decode sidecar runs them: decode gets an endpoint, and prefill and encode one
 * each where their decider says that it is worth it. A stage without a pod is left to the decode pod.
 */
@SchedulingPlugin({
  type: 'disagg-profile-handler',
  parameters: disaggParams,
  requires: [TOKEN_PRODUCER, PREFIX_PRODUCER],
  references: ({ deciders }) => [deciders.prefill, deciders.encode].filter((name) => name !== ''),
})
export class DisaggProfileHandler implements ProfileHandler, PreRequest {
  readonly stage = 'headers';
  private readonly deciders: Readonly<Record<Stage, Decider | undefined>>;

  constructor(
    private readonly params: DisaggParams,
    context: PluginContext,
  ) {
    this.deciders = {
      prefill: deciderOf(params.deciders.prefill, 'prefill', context),
      encode: deciderOf(params.deciders.encode, 'encode', context),
    };
  }

  next(request: SchedulingRequest, profiles: readonly string[], results: ProfileResults): readonly string[] {
    const { decode } = this.params.profiles;
    const order = this.params.stageOrder === 'decode-first' ? this.behindDecode : this.beforeDecode;
    const isFirst = this.params.stageOrder === 'decode-first' && !results.has(decode);
    if (isFirst) return [decode];
    return order(request, profiles, results);
  }

  conclude(_request: SchedulingRequest, results: ProfileResults, errors: readonly Error[]): SchedulingResult {
    return concludeWith(this.params.profiles.decode, results, errors, 'failed to find available decode workers');
  }

  /** Headers for the sidecar. What a client sent under their names never stays. */
  before({ headers }: SchedulingRequest, { profiles }: SchedulingResult): void {
    headers.delete(PREFILLER);
    headers.delete(ENCODERS);
    const [prefiller] = profiles.get(this.params.profiles.prefill)?.targets ?? [];
    const encoders = profiles.get(this.params.profiles.encode)?.targets ?? [];
    if (prefiller !== undefined) headers.set(PREFILLER, hostPort(prefiller.endpoint));
    if (encoders.length > 0) headers.set(ENCODERS, encoders.map(({ endpoint }) => hostPort(endpoint)).join(','));
  }

  private readonly behindDecode = (
    request: SchedulingRequest,
    profiles: readonly string[],
    results: ProfileResults,
  ): readonly string[] => {
    const chosen = results.get(this.params.profiles.decode)?.targets[0];
    if (chosen === undefined) return [];
    for (const stage of ['encode', 'prefill'] as const) {
      if (this.isOpen(stage, profiles, results) && this.wants(stage, request, chosen))
        return [this.params.profiles[stage]];
    }
    return [];
  };

  private readonly beforeDecode = (
    request: SchedulingRequest,
    profiles: readonly string[],
    results: ProfileResults,
  ): readonly string[] => {
    const { prefill, decode } = this.params.profiles;
    if (this.isOpen('prefill', profiles, results)) return [prefill];
    if (this.isOpen('encode', profiles, results) && this.wants('encode', request, undefined)) {
      return [this.params.profiles.encode];
    }
    return results.has(decode) ? [] : [decode];
  };

  private isOpen(stage: Stage, profiles: readonly string[], results: ProfileResults): boolean {
    const name = this.params.profiles[stage];
    return profiles.includes(name) && !results.has(name);
  }

  private wants(stage: Stage, request: SchedulingRequest, chosen: Candidate | undefined): boolean {
    return this.deciders[stage]?.disaggregate(request, chosen) ?? false;
  }
}

/** @throws Error for a plugin that decides nothing */
function deciderOf(name: string, stage: Stage, context: PluginContext): Decider | undefined {
  if (name === '') return undefined;
  const plugin = context.plugin(name);
  if (plugin.disaggregate === undefined) throw new Error(`deciders.${stage} plugin is no decider: ${name}`);
  // it has what a decider has
  return plugin as Decider;
}
