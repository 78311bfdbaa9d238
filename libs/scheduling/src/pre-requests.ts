import { PluginFailure } from './plugin-failure.ts';
import type { PreRequest, SchedulingResult } from './plugin.ts';
import { GATED, IF_AVAILABLE, NO_GATE, prefers } from './prefer.ts';
import type { Named } from './scheduling-profile.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** What plugins do with a result before the request goes out: gates first, so that nothing is recorded of a request they turn away. */
export class PreRequests {
  private readonly gates: readonly Named<PreRequest>[];
  private readonly others: readonly Named<PreRequest>[];

  /** @param plugins in the order of their stages */
  constructor(plugins: readonly Named<PreRequest>[]) {
    this.gates = plugins.filter(({ plugin }) => plugin.stage === 'gate');
    this.others = plugins.filter(({ plugin }) => plugin.stage !== 'gate');
  }

  /**
   * A conditional request that no gate looked at is turned away: nobody could say whether its prompt is cached.
   * @throws SchedulingError of the first gate that turns the request away
   */
  gate(request: SchedulingRequest, result: SchedulingResult): void {
    for (const gate of this.gates) {
      const failure = attempt(gate, request, result);
      if (failure !== undefined) throw refusalOf([failure]);
    }
    if (prefers(request.headers.get('prefer'), IF_AVAILABLE) && GATED.of(request) === undefined) {
      throw new SchedulingError('PreconditionFailed', NO_GATE);
    }
  }

  /** Runs all the others. @returns what went wrong, in their order */
  run(request: SchedulingRequest, result: SchedulingResult): readonly Error[] {
    return this.others.map((one) => attempt(one, request, result)).filter((failure) => failure !== undefined);
  }
}

/** One typed error keeps its code; anything else is ours to answer for. */
export function refusalOf(failures: readonly Error[]): SchedulingError {
  const [only] = failures;
  if (failures.length === 1 && only instanceof SchedulingError) return only;
  return new SchedulingError('Internal', failures.map(({ message }) => message).join('\n'));
}

function attempt(
  { name, plugin }: Named<PreRequest>,
  request: SchedulingRequest,
  result: SchedulingResult,
): Error | undefined {
  try {
    plugin.before(request, result);
    return undefined;
  } catch (error) {
    return error instanceof SchedulingError ? error : new PluginFailure(name, error);
  }
}
