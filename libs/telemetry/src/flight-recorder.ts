import type { RequestRecord } from './request-record.ts';
import { requestSummary, rounded } from './request-summary.ts';

/** Finished requests that are kept. */
export const KEPT_REQUESTS = 256;
/** Requests in flight that a listing shows. */
const LISTED = 1_000;

/** What was and is going on, for somebody who looks: the requests in flight, and the last ones that finished. No content. */
export class FlightRecorder {
  private readonly running = new Set<RequestRecord>();
  private readonly done: (RequestRecord | undefined)[] = new Array<undefined>(KEPT_REQUESTS).fill(undefined);
  private next = 0;

  began(record: RequestRecord): void {
    this.running.add(record);
  }

  finished(record: RequestRecord): void {
    this.running.delete(record);
    this.done[this.next] = record;
    this.next = (this.next + 1) % KEPT_REQUESTS;
  }

  get inFlight(): number {
    return this.running.size;
  }

  /** The latest first. */
  list(): { readonly in_flight: readonly object[]; readonly finished: readonly object[] } {
    return {
      in_flight: [...this.running].reverse().slice(0, LISTED).map(requestLine),
      finished: this.finishedRecords().map(requestLine),
    };
  }

  /** At most `count` of each, with all that is kept of them; the latest first. */
  latest(count: number): { readonly in_flight: readonly object[]; readonly finished: readonly object[] } {
    return {
      in_flight: [...this.running].reverse().slice(0, count).map(timeline),
      finished: this.finishedRecords().slice(0, count).map(timeline),
    };
  }

  /** The requests with the id, the latest first: a client may use one twice. */
  find(id: string): readonly object[] {
    const records = [...this.running].reverse().concat(this.finishedRecords());
    return records.filter((record) => record.id === id).map(timeline);
  }

  private finishedRecords(): RequestRecord[] {
    const ordered = [...this.done.slice(this.next), ...this.done.slice(0, this.next)];
    return ordered.filter((record) => record !== undefined).reverse();
  }
}

function requestLine(record: RequestRecord): object {
  return { started: new Date(record.startedWall).toISOString(), ...requestSummary(record) };
}

/** Everything that is kept of a request, in the order it happened. */
function timeline(record: RequestRecord): object {
  return {
    ...requestLine(record),
    encode_width: record.encodeWidth,
    body_bytes: record.bodyBytes,
    finish_reasons: record.answer?.finishReasons,
    output_events: record.answer?.outputEvents,
    steps: record.steps.map(({ step, startedAt, endedAt, outcome }) => ({
      step,
      outcome,
      from_ms: rounded(startedAt),
      ...(endedAt === undefined ? {} : { to_ms: rounded(endedAt) }),
    })),
    calls: record.attempts.map(({ upstream, step, attempt, startedAt, headAt, endedAt, status, error }) => ({
      upstream,
      step,
      attempt,
      status,
      error,
      from_ms: rounded(startedAt),
      ...(headAt === undefined ? {} : { head_ms: rounded(headAt) }),
      ...(endedAt === undefined ? {} : { to_ms: rounded(endedAt) }),
    })),
  };
}
