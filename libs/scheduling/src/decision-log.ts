import type { SchedulingResult } from './plugin.ts';
import type { CycleTrace } from './scheduler.service.ts';
import { ProfileEntry } from './profile-entry.ts';
import type { ProfileRecord } from './profile-entry.ts';
import type { ProfileTrace } from './scheduling-profile.ts';
import type { SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** How one request got its endpoint, or why it did not. */
export interface DecisionRecord {
  readonly requestId: string;
  /** When it was decided, ISO 8601. */
  readonly at: string;
  readonly targetModel: string;
  /** Profile whose endpoints the request goes to; undefined for one that was refused. */
  readonly primary: string | undefined;
  /** Whether the client was told the endpoint, and the request went nowhere. */
  readonly isReserved: boolean;
  /** Code of the refusal. */
  readonly refusal: string | undefined;
  /** In the order in which they were run. */
  readonly profiles: readonly ProfileRecord[];
}

/** Decisions that are kept. */
const KEPT = 256;
/** Longer names are cut: ids and models are the client's. */
const MAX_NAME = 256;

/**
 * The last decisions with all that led to them. Numbers and ids are kept as flat lists, at most 8 bytes × endpoints for each filter and
 * scorer of each profile; they become records when they are read.
 */
export class DecisionLog {
  private readonly entries: DecisionEntry[] = [];
  private next = 0;

  constructor(private readonly kept = KEPT) {}

  /** Keeps what is said of a request, in the place of the oldest one. */
  begin(request: SchedulingRequest): DecisionEntry {
    const entry = new DecisionEntry(request);
    this.entries[this.next] = entry;
    this.next = (this.next + 1) % this.kept;
    return entry;
  }

  /** The latest one first. */
  records(): readonly DecisionRecord[] {
    const { entries, next } = this;
    const inOrder = [...entries.slice(next), ...entries.slice(0, next)];
    return inOrder.toReversed().map((entry) => entry.record());
  }
}

/** One decision while it is made, and after. */
export class DecisionEntry implements CycleTrace {
  private readonly requestId: string;
  private readonly targetModel: string;
  private readonly at = Date.now();
  private readonly profiles: ProfileEntry[] = [];
  private primary: string | undefined;
  private isReserved = false;
  private refusal: string | undefined;

  constructor({ id, targetModel }: SchedulingRequest) {
    this.requestId = id.slice(0, MAX_NAME);
    this.targetModel = targetModel.slice(0, MAX_NAME);
  }

  profile(name: string): ProfileTrace {
    const entry = new ProfileEntry(name);
    this.profiles.push(entry);
    return entry;
  }

  chosen({ primary }: SchedulingResult): void {
    this.primary = primary;
  }

  reserved(): void {
    this.isReserved = true;
  }

  refused({ code }: SchedulingError): void {
    this.refusal = code;
  }

  record(): DecisionRecord {
    const { requestId, targetModel, primary, isReserved, refusal } = this;
    const profiles = this.profiles.map((entry) => entry.record());
    return { requestId, at: new Date(this.at).toISOString(), targetModel, primary, isReserved, refusal, profiles };
  }
}
