import { Injectable, Logger } from '@nestjs/common';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { isRejected } from './error-label.ts';
import { LogVerbosity } from './log-level.ts';
import { ErrorBodyShape, ropeBytes } from './redaction.ts';

/** Level-4 lines for each try of each call: where it went, how large, what came back; of an error's body its shape alone. */
@Injectable()
export class UpstreamLogging implements UpstreamCallInterceptor {
  private readonly logger = new Logger('gateway');

  constructor(private readonly verbosity: LogVerbosity) {}

  intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    return this.verbosity.shows('debug') ? this.logged(attempt, next) : next();
  }

  private async logged(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const { step, path, upstream } = attempt;
    this.logger.debug(
      { step, upstream, path: path.split('?', 1)[0], attempt: attempt.attempt, bytes: ropeBytes(attempt.body) },
      'call sent',
    );
    const reply = await next();
    this.logger.debug({ step, upstream, status: reply.status }, 'call answered');
    if (isRejected(upstream, reply.status)) {
      const shape = new ErrorBodyShape((body) => {
        this.logger.debug({ step, upstream, status: reply.status, upstream_body: body }, 'upstream error');
      });
      reply.body.observe(shape);
    }
    return reply;
  }
}
