import type { Stage, StageClients } from '#disaggregation';
import { UpstreamClient } from '#gateway';
import type { UpstreamCallInterceptor } from '#gateway';
import type { SidecarOptions } from './sidecar.options.ts';

/** Milliseconds (`sidecar.md` 4.0). */
const IDLE_TIMEOUT = 90_000;
const CONNECT_TIMEOUT = 30_000;
/** MiB of an answer that is read whole. */
const MAX_ANSWER = 512;

/** A client for each stage, because TLS is each stage's own. Workers have as long as they want: prompts are long. */
export function stageClients(
  { maxIdlePerHost, unverifiedStages }: Pick<SidecarOptions, 'maxIdlePerHost' | 'unverifiedStages'>,
  interceptors: readonly UpstreamCallInterceptor[],
): StageClients {
  const client = (stage: Stage): UpstreamClient =>
    new UpstreamClient(
      {
        max_idle_conns_per_host: maxIdlePerHost,
        idle_conn_timeout: IDLE_TIMEOUT,
        connect_timeout: CONNECT_TIMEOUT,
        retries: 1,
        max_response_size: MAX_ANSWER,
        ca_file: '',
        insecure_skip_verify: unverifiedStages.has(stage),
      },
      interceptors,
    );
  return { encode: client('encode'), prefill: client('prefill'), decode: client('decode') };
}

/** Closes every connection, calls in progress included. */
export function closeClients(clients: StageClients): void {
  for (const client of Object.values(clients)) client.onApplicationShutdown();
}
