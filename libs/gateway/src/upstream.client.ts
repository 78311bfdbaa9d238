import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { UpstreamConnectionError, compose } from '#foundation';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import { GATEWAY_CONFIG } from './gateway.config.ts';
import type { UpstreamSettings } from './gateway.config.ts';
import type { UpstreamAttempt, UpstreamCall, UpstreamReply } from './upstream-call.ts';
import { UPSTREAM_CALL_INTERCEPTORS } from './upstream-call.interceptor.ts';
import type { UpstreamCallInterceptor } from './upstream-call.interceptor.ts';

/** Sends calls to render and the gateway: connections, time limits, repeats. It knows nothing of phases. */
@Injectable()
export class UpstreamClient implements OnApplicationShutdown {
  private readonly pool: ConnectionPool;
  private readonly sendOnce: (attempt: UpstreamAttempt) => Promise<UpstreamReply>;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: UpstreamSettings,
    @Inject(UPSTREAM_CALL_INTERCEPTORS) interceptors: readonly UpstreamCallInterceptor[],
  ) {
    this.sendOnce = compose(interceptors, (attempt) => Exchange.send(attempt, this.pool));
    this.pool = new ConnectionPool({
      maxIdle: config.max_idle_conns_per_host,
      idleTimeout: config.idle_conn_timeout,
      connectTimeout: config.connect_timeout,
      caFile: config.ca_file,
      insecureSkipVerify: config.insecure_skip_verify,
    });
  }

  /** Bytes that an encode, prefill or render answer may have. */
  get maxResponseBytes(): number {
    return this.config.max_response_size * 1024 * 1024;
  }

  /**
   * Sends the call and gives the head of the answer, whatever its status. A connection that was refused, or broke on reuse
   * before any byte of an answer, is tried again on a new one at most `gateway.retries` times, all within one time limit.
   * @throws UpstreamConnectionError, UpstreamTimeoutError, or the reason of the signal
   */
  async send(call: UpstreamCall): Promise<UpstreamReply> {
    const headDeadline = call.headLimit.ms > 0 ? performance.now() + call.headLimit.ms : undefined;
    const { retries } = this.config;
    for (let attempt = 0; ; attempt++) {
      call.signal.throwIfAborted();
      try {
        return await this.sendOnce({ ...call, attempt, retries, headDeadline, trace: call.scope.trace });
      } catch (error) {
        const isRepeatable = error instanceof UpstreamConnectionError && error.isRepeatable;
        if (!isRepeatable || attempt >= retries) throw error;
      }
    }
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }
}
