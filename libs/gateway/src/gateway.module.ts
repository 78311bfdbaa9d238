import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { GatewayClient } from './gateway.client.ts';
import { GATEWAY_CONFIG } from './gateway.config.ts';
import type { GatewayConfig } from './gateway.config.ts';
import { UPSTREAM_CALL_INTERCEPTORS } from './upstream-call.interceptor.ts';
import { UpstreamClient } from './upstream.client.ts';

/** What the gateway client is made of. */
export interface GatewayModuleOptions {
  readonly config: GatewayConfig;
  /** Provides the interceptors: a list, outermost first. */
  readonly interceptors: Provider & { provide: typeof UPSTREAM_CALL_INTERCEPTORS };
  /** Modules that the interceptors need. */
  readonly imports?: readonly DynamicModule[];
}

@Module({})
export class GatewayModule {
  static register(options: GatewayModuleOptions): DynamicModule {
    return {
      module: GatewayModule,
      imports: [...(options.imports ?? [])],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: options.config },
        options.interceptors,
        UpstreamClient,
        GatewayClient,
      ],
      exports: [UpstreamClient, GatewayClient, GATEWAY_CONFIG],
    };
  }
}
