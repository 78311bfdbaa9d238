import { createSentinel } from 'redis';
import { RedisLink } from './redis.link.ts';
import type { LinkListener, RedisWord } from './redis.link.ts';
import { BYTES } from './redis-bytes.ts';
import { addressesOf, connectionOptions, credentialsOf, databaseOf } from './redis-options.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** Whichever server the sentinels call the master. */
export class SentinelLink extends RedisLink {
  private readonly sentinel: ReturnType<typeof sentinelOf>;

  constructor(config: RedisServers, listener: LinkListener) {
    super();
    this.sentinel = sentinelOf(config);
    this.sentinel
      .on('error', listener)
      // of one server, whose part another one may take
      .on('client-error', () => undefined)
      .on('ready', () => {
        listener(undefined);
      });
  }

  async connect(): Promise<void> {
    await this.sentinel.connect();
  }

  send(_key: string, words: readonly RedisWord[]): Promise<unknown> {
    return this.sentinel.sendCommand(false, [...words], BYTES);
  }

  /** The library makes it with the first subscription, and again at a new master. */
  async connectSubscriber(): Promise<void> {
    // nothing to do
  }

  async subscribe(channel: string, listener: () => void): Promise<void> {
    await this.sentinel.subscribe(channel, listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    await this.sentinel.unsubscribe(channel);
  }

  async close(): Promise<void> {
    if (this.sentinel.isOpen) await this.sentinel.close();
  }

  destroy(): void {
    if (this.sentinel.isOpen) void this.sentinel.destroy();
  }
}

function sentinelOf(config: RedisServers) {
  const { redis_url: url, redis } = config;
  const options = connectionOptions(config);
  return createSentinel({
    name: redis.master_name,
    sentinelRootNodes: addressesOf(config),
    nodeClientOptions: { ...options, ...credentialsOf(config), database: databaseOf(url) },
    sentinelClientOptions: { ...options, ...(redis.sentinel_auth ? credentialsOf(config) : {}) },
    RESP: 2,
  });
}
