import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { BROKER_CONFIG } from './broker.config.ts';
import type { BrokerConfig } from './broker.config.ts';
import { BrokerKeys, hashTag, quotaStart } from './broker-keys.ts';
import { BrokerObserver } from './broker.observer.ts';
import { MailboxWatch } from './mailbox.watch.ts';
import { QueueFigures } from './queue.figures.ts';
import { Quota } from './quota.ts';
import { RedisConnection } from './redis.connection.ts';
import { REDIS_USE } from './redis-use.ts';
import type { RedisUse } from './redis-use.ts';
import { RequestStore } from './request.store.ts';
import { ResultWait } from './result.wait.ts';

/** What the broker is made of. */
export interface BrokerModuleOptions {
  readonly config: BrokerConfig;
  readonly observer: Provider & { provide: typeof BrokerObserver };
  /** Modules that the observer needs. */
  readonly imports: readonly DynamicModule[];
}

const OFFERED = [RedisConnection, RequestStore, MailboxWatch, ResultWait, Quota, QueueFigures];

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
        { provide: REDIS_USE, inject: [BrokerObserver], useFactory: (told: BrokerObserver) => useOf(config, told) },
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

function useOf(
  { redis_url, redis, default_queue: key, wakeup_mode }: BrokerConfig,
  observer: BrokerObserver,
): RedisUse {
  return {
    servers: { redis_url, redis },
    user: 'async-broker',
    setting: 'pipeline.steps[0].params.redis_url',
    key,
    wakeupMode: wakeup_mode,
    whileAway: 'queued modes answer 503',
    onConnected: () => {
      observer.began();
    },
    onFailure: (command, reason) => {
      observer.commandFailed(command, reason);
    },
  };
}
