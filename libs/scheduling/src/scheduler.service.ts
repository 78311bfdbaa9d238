import type { Candidate } from './candidate.ts';
import type { ProfileHandler, ProfileResult, SchedulingResult } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { ProfileTrace, SchedulingProfile } from './scheduling-profile.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** Told what a cycle does, for whoever asks why. */
export interface CycleTrace {
  profile(name: string): ProfileTrace;
}

/** Runs the profiles that the handler asks for until it has what it wants (`epp.md` 4.1). */
export class Scheduler {
  private readonly names: readonly string[];

  constructor(
    private readonly profiles: ReadonlyMap<string, SchedulingProfile>,
    private readonly handler: ProfileHandler,
  ) {
    this.names = [...profiles.keys()];
  }

  /** @throws SchedulingError with its own code, or ResourceExhausted for whatever else went wrong */
  schedule(request: SchedulingRequest, candidates: readonly Candidate[], trace?: CycleTrace): SchedulingResult {
    const results = new Map<string, ProfileResult | undefined>();
    const errors = new Map<string, Error>();
    for (;;) {
      const wanted = this.handler.next(request, this.names, results).filter((name) => !results.has(name));
      if (wanted.length === 0) break;
      for (const name of wanted) results.set(name, this.run(name, { request, candidates, trace, errors }));
    }
    return this.handler.conclude(request, results, sortedErrors(errors));
  }

  private run(name: string, cycle: Cycle): ProfileResult | undefined {
    try {
      return this.profiles.get(name)?.run(cycle.request, cycle.candidates, cycle.trace?.profile(name));
    } catch (error) {
      if (!(error instanceof SchedulingError)) throw error;
      cycle.errors.set(name, error);
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
