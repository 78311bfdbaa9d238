import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER, TOKEN_PRODUCER } from '../default-producers.ts';
import type {
  Decider,
  PluginContext,
  PreRequest,
  ProfileHandler,
  ProfileResults,
  SchedulingResult,
} from '../plugin.ts';
import { isDecider } from '../plugin-kinds.ts';
import { RequestNote } from '../request-note.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { concludeWith } from './conclude.ts';
import { disaggParams } from './disagg-profile.params.ts';
import type { DisaggParams } from './disagg-profile.params.ts';
import { writeStageHeaders } from './stage-headers.ts';

/** Stages that have a worker of their own, as `disagg_decision_total` counts them. */
export type DisaggDecision = 'decode-only' | 'prefill-decode' | 'encode-decode' | 'encode-prefill-decode';

type Stage = 'prefill' | 'encode';

/** What became of a stage that may have a worker of its own. */
export interface StageResult {
  /** None where decode does it itself. */
  readonly targets: readonly Candidate[];
  /** Whether one was looked for. */
  readonly wasWanted: boolean;
}

/**
 * All stages of a request in one cycle, for clusters whose decode sidecar runs them: decode gets an endpoint, and prefill and encode one
 * each where their decider says that it is worth it (`epp.md` 4.4). A stage without a pod is left to the decode pod.
 */
@SchedulingPlugin({
  type: 'disagg-profile-handler',
  formerly: ['pd-profile-handler'],
  parameters: disaggParams,
  requires: [TOKEN_PRODUCER, PREFIX_PRODUCER],
  references: ({ deciders }) => [deciders.prefill, deciders.encode].filter((name) => name !== ''),
  notFound: ({ deciders }, name) =>
    `deciders.${deciders.prefill === name ? 'prefill' : 'encode'} plugin not found: ${name}`,
})
export class DisaggProfileHandler implements ProfileHandler, PreRequest {
  readonly stage = 'headers';
  private readonly deciders: Readonly<Record<Stage, Decider | undefined>>;
  /** Profiles that were run, with or without a result. */
  private readonly tried: RequestNote<ReadonlySet<string>>;

  constructor(
    private readonly params: DisaggParams,
    context: PluginContext,
  ) {
    this.tried = new RequestNote(`${context.name}:tried`);
    this.deciders = {
      prefill: deciderOf(params.deciders.prefill, 'prefill', context),
      encode: deciderOf(params.deciders.encode, 'encode', context),
    };
  }

  next(request: SchedulingRequest, profiles: readonly string[], results: ProfileResults): readonly string[] {
    const isOpen = (stage: Stage): boolean => {
      const name = this.params.profiles[stage];
      return profiles.includes(name) && !results.has(name);
    };
    const stage =
      this.params.stageOrder === 'decode-first'
        ? this.behindDecode(request, results, isOpen)
        : this.beforeDecode(request, results, isOpen);
    return stage === undefined ? [] : [this.params.profiles[stage]];
  }

  conclude(request: SchedulingRequest, results: ProfileResults, errors: readonly Error[]): SchedulingResult {
    this.tried.set(request, new Set(results.keys()));
    return concludeWith(this.params.profiles.decode, results, errors, 'failed to find available decode workers');
  }

  before({ headers }: SchedulingRequest, result: SchedulingResult): void {
    writeStageHeaders(headers, result, this.params.profiles);
  }

  decisionOf({ profiles }: SchedulingResult): DisaggDecision {
    const hasPrefill = profiles.has(this.params.profiles.prefill);
    if (profiles.has(this.params.profiles.encode)) return hasPrefill ? 'encode-prefill-decode' : 'encode-decode';
    return hasPrefill ? 'prefill-decode' : 'decode-only';
  }

  /** @param result of that request */
  stageOf(stage: Stage, request: SchedulingRequest, { profiles }: SchedulingResult): StageResult {
    const name = this.params.profiles[stage];
    return {
      targets: profiles.get(name)?.targets ?? [],
      wasWanted: this.tried.of(request)?.has(name) ?? false,
    };
  }

  /** Decode, then encode, then prefill. A decider is asked once: what it turned down stays closed when the stage behind it has run. */
  private behindDecode(
    request: SchedulingRequest,
    results: ProfileResults,
    isOpen: (stage: Stage) => boolean,
  ): Stage | 'decode' | undefined {
    const { decode, prefill } = this.params.profiles;
    if (!results.has(decode)) return 'decode';
    const chosen = results.get(decode)?.targets[0];
    if (chosen === undefined) return undefined;
    if (!results.has(prefill) && isOpen('encode') && this.wants('encode', request, chosen)) return 'encode';
    return isOpen('prefill') && this.wants('prefill', request, chosen) ? 'prefill' : undefined;
  }

  /** Prefill, then encode, then decode. */
  private beforeDecode(
    request: SchedulingRequest,
    results: ProfileResults,
    isOpen: (stage: Stage) => boolean,
  ): Stage | 'decode' | undefined {
    if (results.has(this.params.profiles.decode)) return undefined;
    if (isOpen('prefill')) return 'prefill';
    return isOpen('encode') && this.wants('encode', request, undefined) ? 'encode' : 'decode';
  }

  private wants(stage: Stage, request: SchedulingRequest, chosen: Candidate | undefined): boolean {
    return this.deciders[stage]?.disaggregate(request, chosen) ?? false;
  }
}

/** @throws Error for a plugin that decides nothing */
function deciderOf(name: string, stage: Stage, context: PluginContext): Decider | undefined {
  if (name === '') return undefined;
  const plugin = context.plugin(name);
  if (!isDecider(plugin)) throw new Error(`deciders.${stage} plugin is no decider: ${name}`);
  return plugin;
}
