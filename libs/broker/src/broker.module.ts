import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { BROKER_CONFIG } from './broker.config.ts';
import type { BrokerConfig } from './broker.config.ts';
import { BrokerKeys, hashTag, quotaStart } from './broker-keys.ts';
import { BrokerObserver } from './broker.observer.ts';
import { MailboxWatch } from './mailbox.watch.ts';
import { Quota } from './quota.ts';
import { RedisConnection } from './redis.connection.ts';
import { RequestStore } from './request.store.ts';
import { ResultWait } from './result.wait.ts';

/** What the broker is made of. */
export interface BrokerModuleOptions {
  readonly config: BrokerConfig;
  readonly observer: Provider & { provide: typeof BrokerObserver };
  /** Modules that the observer needs. */
  readonly imports: readonly DynamicModule[];
}

const OFFERED = [RedisConnection, RequestStore, MailboxWatch, ResultWait, Quota];

@Module({})
export class BrokerModule {
  static register({ config, observer, imports }: BrokerModuleOptions): DynamicModule {
    return {
      module: BrokerModule,
      imports: [...imports],
      providers: [
        { provide: BROKER_CONFIG, useValue: config },
        { provide: BrokerKeys, useValue: keysOf(config) },
        observer,
        ...OFFERED,
      ],
      exports: [BROKER_CONFIG, BrokerKeys, BrokerObserver, ...OFFERED],
    };
  }
}

function keysOf({ redis, default_queue: queue, quota }: BrokerConfig): BrokerKeys {
  const tag = redis.topology === 'cluster' ? hashTag(queue) : undefined;
  return new BrokerKeys(quotaStart(quota.prefix, quota.attribute), tag);
}
