import { ClientOfflineError, createClient } from 'redis';
import { RedisLink } from './redis.link.ts';
import type { LinkListener, RedisWord } from './redis.link.ts';
import { BYTES } from './redis-bytes.ts';
import { addressesOf, connectionOptions, credentialsOf, databaseOf } from './redis-options.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** One server, or a proxy that looks like one. */
export class StandaloneLink extends RedisLink {
  private readonly commands: ReturnType<typeof clientOf>;
  private readonly subscriber: ReturnType<typeof clientOf>;

  constructor(config: RedisServers, listener: LinkListener) {
    super();
    this.commands = clientOf(config);
    this.commands.on('error', listener).on('ready', () => {
      listener(undefined);
    });
    this.subscriber = clientOf(config);
    // what it misses is found by asking
    this.subscriber.on('error', () => undefined);
  }

  async connect(): Promise<void> {
    await this.commands.connect();
  }

  send(_key: string, words: readonly RedisWord[]): Promise<unknown> {
    return this.commands.sendCommand([...words], BYTES);
  }

  async connectSubscriber(): Promise<void> {
    await this.subscriber.connect();
  }

  async subscribe(channel: string, listener: () => void): Promise<void> {
    this.refuseOffline();
    await this.subscriber.subscribe(channel, listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.refuseOffline();
    await this.subscriber.unsubscribe(channel);
  }

  async close(): Promise<void> {
    await Promise.all([this.commands, this.subscriber].map(async (client) => client.isOpen && (await client.close())));
  }

  destroy(): void {
    for (const client of [this.commands, this.subscriber]) if (client.isOpen) client.destroy();
  }

  /** The library would wait for the connection with it, as it does not with commands. */
  private refuseOffline(): void {
    if (!this.subscriber.isReady) throw new ClientOfflineError();
  }
}

function clientOf(config: RedisServers) {
  const { socket, ...options } = connectionOptions(config);
  return createClient({
    ...options,
    ...credentialsOf(config),
    database: databaseOf(config.redis_url),
    RESP: 2,
    socket: { ...socket, ...addressesOf(config)[0] },
  });
}
