import { Injectable, Logger } from '@nestjs/common';
import type { StepCall, StepInterceptor, StepOutcome } from '#pipeline';
import { errorLabel } from './error-label.ts';
import { LogVerbosity } from './log-level.ts';

/** A line for each step at level 4; the request's id and trace are added by the logger. */
@Injectable()
export class StepLogging implements StepInterceptor {
  private readonly logger = new Logger('pipeline');

  constructor(private readonly verbosity: LogVerbosity) {}

  intercept({ step }: StepCall, next: () => Promise<StepOutcome>): Promise<StepOutcome> {
    return this.verbosity.shows('debug') ? this.logged(step, next) : next();
  }

  private async logged(step: string, next: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const startedAt = performance.now();
    try {
      const outcome = await next();
      this.logger.debug({ step, outcome: outcome.kind, duration_ms: performance.now() - startedAt }, 'step complete');
      return outcome;
    } catch (error) {
      this.logger.debug(
        { step, outcome: errorLabel(error), duration_ms: performance.now() - startedAt },
        'step failed',
      );
      throw error;
    }
  }
}
