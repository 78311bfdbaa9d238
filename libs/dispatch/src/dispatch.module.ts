import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { GATEWAY_CONFIG, UPSTREAM_CALL_INTERCEPTORS, UpstreamClient } from '#gateway';
import type { UpstreamSettings } from '#gateway';
import { CoordinatorClient } from './coordinator.client.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import { LeaseKeeper } from './lease.keeper.ts';
import { MessageEndings } from './message.endings.ts';
import { MessageRunner } from './message.runner.ts';
import { MessageTaker } from './message.taker.ts';

/** What takes messages and has them served. */
export interface DispatchModuleOptions {
  readonly config: DispatchConfig;
  /** Provides the interceptors of calls: a list, outermost first. */
  readonly interceptors: Provider & { provide: typeof UPSTREAM_CALL_INTERCEPTORS };
  /** The `QueuesModule`, and who has the `Lifecycle`. */
  readonly imports: readonly DynamicModule[];
}

/** Milliseconds that a connection is kept, less than a coordinator keeps one; it may be gone all the same, and one repeat finds out. */
const IDLE = 20_000;
const REPEATS = 1;

@Module({})
export class DispatchModule {
  static register({ config, interceptors, imports }: DispatchModuleOptions): DynamicModule {
    return {
      module: DispatchModule,
      imports: [...imports],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: upstreamSettings(config) },
        interceptors,
        UpstreamClient,
        CoordinatorClient,
        LeaseKeeper,
        MessageEndings,
        MessageRunner,
        MessageTaker,
      ],
      exports: [MessageTaker],
    };
  }
}

function upstreamSettings({ coordinator, worker }: DispatchConfig): UpstreamSettings {
  const { connect_timeout, max_response_size, ca_file, insecure_skip_verify } = coordinator;
  return {
    max_idle_conns_per_host: worker.concurrency,
    idle_conn_timeout: IDLE,
    retries: REPEATS,
    connect_timeout,
    max_response_size,
    ca_file,
    insecure_skip_verify,
  };
}
