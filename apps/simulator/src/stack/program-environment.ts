import { environment } from '#config';

/** Variables for a program. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment says of addresses and steps is meant for another deployment; the rest, a log level say, may stay. */
const OF_ANOTHER =
  /^(COORDINATOR|ASYNC_WORKER)_(SERVER_(LISTEN_ADDR|METRICS_PORT|SECURE_SERVING)|GATEWAY_ADDRESS|COORDINATOR_ADDRESS|PIPELINE_.*|REDIS_.*)$/;

/** @param tracing variables that switch tracing on, in place of all `OTEL_*` that are set; undefined leaves those */
export function programEnvironment(tracing: Variables | undefined): Variables {
  const kept = Object.entries(environment()).filter(
    ([name]) => !OF_ANOTHER.test(name) && (tracing === undefined || !name.startsWith('OTEL_')),
  );
  return { ...Object.fromEntries(kept), ...tracing };
}
