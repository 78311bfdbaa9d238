import type { AdminTotals } from './admin-totals.ts';
import type { ReadinessState } from './admin.sources.ts';
import type { RequestLists } from './admin-view.ts';

/** What one worker says of itself. */
export interface WorkerStatus {
  readonly version: string;
  /** Whether there is an async broker, whose queues can be asked for. */
  readonly has_queues?: boolean;
  readonly in_flight: number;
  readonly log_level: number;
  readonly phase: string;
  readonly isReady: boolean;
  readonly dependencies: readonly ReadinessState[];
  readonly totals: AdminTotals;
}

/** While no worker serves. */
const NOBODY: WorkerStatus = {
  version: '',
  in_flight: 0,
  log_level: 0,
  phase: 'starting',
  isReady: false,
  dependencies: [],
  totals: { requests: 0, errors: {}, probes: {}, encode: { requests: 0, calls: 0 } },
};

/** The status of all: sums of what is counted, and ready where every one is, of which there has to be one. */
export function mergeStatus(all: readonly WorkerStatus[]): WorkerStatus & { readonly workers: number } {
  const first = all[0] ?? NOBODY;
  const unready = all.find(({ isReady }) => !isReady) ?? first;
  return {
    ...first,
    workers: all.length,
    in_flight: sumOf(all, ({ in_flight }) => in_flight),
    phase: unready.phase,
    isReady: unready.isReady,
    dependencies: unready.dependencies,
    totals: {
      requests: sumOf(all, ({ totals }) => totals.requests),
      errors: sumsBy(all.map(({ totals }) => totals.errors)),
      probes: sumsBy(all.map(({ totals }) => totals.probes)),
      encode: {
        requests: sumOf(all, ({ totals }) => totals.encode.requests),
        calls: sumOf(all, ({ totals }) => totals.encode.calls),
      },
    } satisfies AdminTotals,
  };
}

/** Lists of all, the latest first. @param count at most so many of each */
export function mergeLists(all: readonly RequestLists[], count = Infinity): RequestLists {
  return {
    in_flight: latestFirst(all.flatMap(({ in_flight }) => in_flight)).slice(0, count),
    finished: latestFirst(all.flatMap(({ finished }) => finished)).slice(0, count),
  };
}

function latestFirst(requests: readonly object[]): readonly object[] {
  return requests.toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
}

/** An ISO date, which sorts as text. */
function startOf(request: object): string {
  return 'started' in request ? String(request.started) : '';
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

function sumsBy(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [key, value] of all.flatMap((each) => Object.entries(each))) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}
