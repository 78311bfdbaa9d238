import type { BrokerConfig } from './broker.config.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** What a program has Redis for. */
export interface RedisUse {
  readonly servers: RedisServers;
  /** Who it is, in logs and in errors of the start. */
  readonly user: string;
  /** The configuration key of the URL. */
  readonly setting: string;
  /** Any key, which is what signs of life are about. */
  readonly key: string;
  /** Whether keys that change are to be told of. */
  readonly wakeupMode: BrokerConfig['wakeup_mode'];
  /** What holds as long as Redis is gone, for the log. */
  readonly whileAway: string;
  /** The start is over. */
  onConnected(): void;
  /** @param reason a short word: the server's own error code, or `offline`, `timeout`, `closed` */
  onFailure(command: string, reason: string): void;
}

export const REDIS_USE = Symbol('broker:redis-use');
