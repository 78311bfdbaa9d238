import { Logger } from '@nestjs/common';
import { LineBudget } from '#scheduling';
import type { Decision, SchedulingError } from '#scheduling';
import type { LogVerbosity } from '../log-level.ts';
import { rounded } from '../request-summary.ts';

/** What a line about a request is found by; the same names as those of a coordinator's lines. */
export interface RequestIds {
  readonly 'x-request-id': string;
  readonly trace_id?: string;
  readonly span_id?: string;
}

/** Warnings about refusals in each stretch, in milliseconds: a pool that is full refuses everything. */
const [REFUSALS, STRETCH] = [10, 10_000];

/** Says what was decided (`-v 4`), and who was turned away. Ids, names and numbers, and nothing of what a request holds. */
export class PickerLog {
  private readonly logger = new Logger('picker');
  private readonly refusals = new LineBudget(REFUSALS, STRETCH);

  constructor(private readonly verbosity: Pick<LogVerbosity, 'shows'>) {}

  /** @param milliseconds from the request's headers to the decision */
  scheduled(ids: () => RequestIds, decision: Decision, milliseconds: number): void {
    this.decided(ids, decision, milliseconds, 'request scheduled');
  }

  /** The client was told the endpoint only. @param milliseconds from the request's headers to the decision */
  reserved(ids: () => RequestIds, decision: Decision, milliseconds: number): void {
    this.decided(ids, decision, milliseconds, 'endpoint reserved');
  }

  private decided(
    ids: () => RequestIds,
    { request, result, destination }: Decision,
    milliseconds: number,
    what: string,
  ): void {
    if (!this.verbosity.shows('debug')) return;
    const profiles = [...result.profiles].map(
      ([name, { targets }]) => [name, targets.map(({ endpoint }) => endpoint.id)] as const,
    );
    this.logger.debug(
      {
        ...ids(),
        model: request.targetModel.slice(0, MAX_NAME),
        primary: result.primary,
        profiles: Object.fromEntries(profiles),
        destination,
        duration_ms: rounded(milliseconds),
      },
      what,
    );
  }

  /** A cold prompt (412) is what the coordinator asks about, and no fault. */
  refused(ids: () => RequestIds, { code, status, droppedReason, message }: SchedulingError): void {
    const isUsual = code === 'PreconditionFailed';
    if (!this.verbosity.shows(isUsual ? 'debug' : 'warn')) return;
    const omitted = isUsual ? 0 : this.refusals.take();
    if (omitted === undefined) return;
    const fields = {
      ...ids(),
      code,
      status,
      reason: droppedReason,
      detail: message.slice(0, MAX_NAME),
      ...(omitted > 0 && { omitted }),
    };
    if (isUsual) this.logger.debug(fields, 'request refused');
    else this.logger.warn(fields, 'request refused');
  }
}

/** Characters of what a client names. */
const MAX_NAME = 256;
