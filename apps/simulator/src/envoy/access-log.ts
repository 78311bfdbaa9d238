import { z } from 'zod';
import type { LoggedCall } from '../control/request-log.ts';
import { workerPhase } from '../worker/worker-phase.ts';
import { OWN_TRACEPARENT } from './envoy-trace.ts';

/** What Envoy writes of each request when it has ended: a JSON object a line, on its output. */
export const ACCESS_LOG = {
  name: 'envoy.access_loggers.stdout',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
    log_format: {
      json_format: {
        started: '%START_TIME(%s.%3f)%',
        duration_ms: '%DURATION%',
        method: '%REQ(:METHOD)%',
        path: '%REQ(:PATH)%',
        request_id: '%REQ(X-REQUEST-ID)%',
        answered_id: '%RESP(X-REQUEST-ID)%',
        profile: '%REQ(EPP-PROFILE)%',
        traceparent: OWN_TRACEPARENT,
        prefer: '%REQ(PREFER)%',
        status: '%RESPONSE_CODE%',
        flags: '%RESPONSE_FLAGS%',
        upstream: '%UPSTREAM_HOST%',
      },
    },
  },
} as const;

const text = z
  .string()
  .nullish()
  .transform((value) => (value === '-' ? undefined : (value ?? undefined)));

const access = z.object({
  started: z.coerce.number(),
  duration_ms: z.number(),
  method: z.string(),
  path: z.string(),
  request_id: text,
  answered_id: text,
  profile: text,
  traceparent: text,
  prefer: text,
  status: z.number().nullish(),
  flags: text,
  upstream: text,
});

/**
 * A line of the access log as a call of the request log: a client's request, or a phase that no worker was asked about. Undefined for a
 * phase that a worker knows of, and for a line that is none of the access log.
 */
export function accessedCall(line: string): LoggedCall | undefined {
  const { data } = line.startsWith('{') ? access.safeParse(parsed(line)) : {};
  if (data === undefined || (data.profile !== undefined && data.upstream !== undefined)) return undefined;
  const { profile, prefer, status, answered_id: answered, request_id: sent } = data;
  return {
    server: 'gateway',
    phase: profile === undefined ? 'client' : workerPhase({ profile, prefer }, 'profile', 'all'),
    method: data.method,
    path: data.path,
    headers: {},
    requestId: answered ?? sent,
    startedAt: Math.round(data.started * 1000),
    facts: data.traceparent === undefined ? {} : { traceparent: data.traceparent },
    body: undefined,
    status: status === 0 ? undefined : (status ?? undefined),
    headMs: undefined,
    firstEventMs: undefined,
    durationMs: data.duration_ms,
    events: 0,
    outcome: outcomeOf(data.flags),
  };
}

/** `DC`: the client left. `U…`: the upstream failed. */
function outcomeOf(flags = ''): NonNullable<LoggedCall['outcome']> {
  const all = flags.split(',');
  if (all.includes('DC')) return 'client-closed';
  return all.some((flag) => flag.startsWith('U')) ? 'failed' : 'complete';
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
