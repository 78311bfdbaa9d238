import { EXT_PROC_SERVICE } from '#ext-proc';

export type HealthStatus = 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN';

/** What health depends on. */
export interface HealthFacts {
  /** Whether endpoints were said once, what their pool speaks can be read, and the process is not draining. */
  readonly isReady: boolean;
  /** Whether this replica is the one that serves; undefined where replicas do not elect one. */
  readonly isLeader: boolean | undefined;
}

const LIVENESS = 'liveness';
const READINESS = 'readiness';
const NEED_LEADERSHIP: ReadonlySet<string> = new Set(['', READINESS, EXT_PROC_SERVICE]);

/** The health of a service by the name that is asked for (`epp.md` 8.3). A process that answers is alive, whatever else it is. */
export function healthOf(service: string, { isReady, isLeader }: HealthFacts): HealthStatus {
  if (service === LIVENESS) return 'SERVING';
  if (isLeader === undefined) return isReady ? 'SERVING' : 'NOT_SERVING';
  if (!NEED_LEADERSHIP.has(service)) return 'SERVICE_UNKNOWN';
  return isReady && isLeader ? 'SERVING' : 'NOT_SERVING';
}

/** The services that a list names. */
export function listedServices({ isLeader }: HealthFacts): readonly string[] {
  return isLeader === undefined ? [EXT_PROC_SERVICE] : [EXT_PROC_SERVICE, LIVENESS, READINESS];
}
