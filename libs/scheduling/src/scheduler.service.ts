import type { Candidate } from './candidate.ts';
import type { ProfileHandler, ProfileResult, SchedulingResult } from './plugin.ts';
import type { ProfileTrace, SchedulingProfile } from './scheduling-profile.ts';
import { NoTargetError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** Told what a cycle does, for whoever asks why. */
export interface CycleTrace {
  /** The handler was asked which profiles to run. @param wanted none when it has all it wants */
  asked?(wanted: readonly string[]): void;
  profile(name: string): ProfileTrace;
}

/** Runs the profiles that the handler asks for until it has what it wants (`epp.md` 4.1). */
export class Scheduler {
  private readonly names: readonly string[];

  /** @param failed told of what a plugin threw in a profile, whether or not the cycle goes on without that profile */
  constructor(
    private readonly profiles: ReadonlyMap<string, SchedulingProfile>,
    private readonly handler: ProfileHandler,
    private readonly failed: (error: Error, request: SchedulingRequest) => void = () => undefined,
  ) {
    this.names = [...profiles.keys()];
  }

  /**
   * Each profile is run once at most, over all the candidates. One that finds nobody, or has a plugin that throws, has no result.
   * @throws SchedulingError with its own code
   * @throws NoTargetError for anything else that keeps the primary profile from an endpoint
   * @throws whatever the handler throws
   */
  schedule(request: SchedulingRequest, candidates: readonly Candidate[], trace?: CycleTrace): SchedulingResult {
    const results = new Map<string, ProfileResult | undefined>();
    const errors = new Map<string, Error>();
    const cycle = { request, candidates, trace, errors };
    for (;;) {
      const wanted = this.handler.next(request, this.names, results).filter((name) => !results.has(name));
      trace?.asked?.(wanted);
      if (wanted.length === 0) break;
      for (const name of wanted) results.set(name, this.run(name, cycle));
    }
    if (results.size === 0) throw new NoTargetError(`failed to run any scheduler profile for request ${request.id}`);
    return this.handler.conclude(request, results, sortedErrors(errors));
  }

  private run(name: string, { request, candidates, trace, errors }: Cycle): ProfileResult | undefined {
    const told = trace?.profile(name);
    try {
      const profile = this.profiles.get(name);
      if (profile === undefined) throw new NoTargetError(`no scheduling profile is called '${name}'`);
      const result = profile.run(request, candidates, told);
      told?.ended?.(undefined);
      return result;
    } catch (error) {
      // a profile throws errors of ours only
      const failure = error instanceof Error ? error : new NoTargetError(`scheduler profile '${name}' failed`);
      this.failed(failure, request);
      errors.set(name, failure);
      told?.ended?.(failure);
      return undefined;
    }
  }
}

interface Cycle {
  readonly request: SchedulingRequest;
  readonly candidates: readonly Candidate[];
  readonly trace: CycleTrace | undefined;
  readonly errors: Map<string, Error>;
}

function sortedErrors(errors: ReadonlyMap<string, Error>): readonly Error[] {
  return [...errors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error);
}
