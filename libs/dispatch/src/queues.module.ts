import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { BrokerKeys, QueueFigures, REDIS_USE, RedisConnection, hashTag } from '#broker';
import type { RedisServers, RedisUse } from '#broker';
import { DeadLetters } from './dead.letters.ts';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import { DispatchObserver } from './dispatch.observer.ts';
import { RedisClock } from './redis.clock.ts';

/** What the queues are reached by. */
export interface QueuesModuleOptions {
  readonly config: DispatchConfig;
  readonly servers: RedisServers;
  readonly observer: Provider & { provide: typeof DispatchObserver };
}

/** The queues at Redis, for those who look at them and for those who take from them. */
@Module({})
export class QueuesModule {
  static register({ config, servers, observer }: QueuesModuleOptions): DynamicModule {
    return {
      module: QueuesModule,
      providers: [
        { provide: DISPATCH_CONFIG, useValue: config },
        { provide: BrokerKeys, useValue: keysOf(config, servers) },
        observer,
        {
          provide: REDIS_USE,
          inject: [DispatchObserver],
          useFactory: (told: DispatchObserver) => useOf(config, servers, told),
        },
        RedisConnection,
        QueueFigures,
        RedisClock,
        DeadLetters,
      ],
      exports: [DISPATCH_CONFIG, BrokerKeys, DispatchObserver, RedisConnection, QueueFigures, RedisClock, DeadLetters],
    };
  }
}

/** Counters of quotas are not touched here. */
function keysOf({ queues }: DispatchConfig, { redis }: RedisServers): BrokerKeys {
  return new BrokerKeys('quota:', redis.topology === 'cluster' ? hashTag(queues[0] ?? '') : undefined);
}

function useOf({ queues }: DispatchConfig, servers: RedisServers, observer: DispatchObserver): RedisUse {
  return {
    servers: { ...servers, client: 'llm-d-async-worker' },
    user: 'async-worker',
    setting: 'redis_url',
    key: queues[0] ?? '',
    wakeupMode: 'poll',
    whileAway: 'nothing is taken, results are kept',
    onConnected: () => {
      observer.began(queues);
    },
    onFailure: (command, reason) => {
      observer.commandFailed(command, reason);
    },
  };
}
