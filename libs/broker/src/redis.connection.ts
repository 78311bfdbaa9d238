import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { ConfigError } from '#config';
import { BrokerError, brokerError } from './broker.error.ts';
import { openLink } from './open-link.ts';
import type { RedisLink, RedisWord } from './redis.link.ts';
import { CONNECT_LIMIT, databaseOf } from './redis-options.ts';
import type { RedisScript } from './redis-script.ts';
import { REDIS_USE } from './redis-use.ts';
import type { RedisUse } from './redis-use.ts';

/** Milliseconds that a command may take. */
const COMMAND_LIMIT = 5_000;
/** Error code of a server that reads what it kept, and milliseconds after which it is asked again. */
const LOADING = 'LOADING';
const LOADING_PAUSE = 100;
/** Milliseconds for what was sent to be answered when the process ends. */
const CLOSE_LIMIT = 1_000;

/**
 * Redis as one program uses it. It has to be there when the process starts; when it goes away later, commands fail at once until
 * it is back.
 */
@Injectable()
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  private readonly logger: Logger;
  private link: RedisLink | undefined;
  /** Undefined until the start is over. */
  private isUp: boolean | undefined;
  private lastError: unknown;
  private notifies = false;
  private readonly whenBack: (() => void)[] = [];

  constructor(@Inject(REDIS_USE) private readonly use: RedisUse) {
    this.logger = new Logger(use.user);
  }

  /** @throws ConfigError when Redis does not answer within 5 s */
  async onModuleInit(): Promise<void> {
    const link = await openLink(this.use.servers, this.onLink);
    this.link = link;
    try {
      await limited(link.connect(), CONNECT_LIMIT);
      await this.hasLoaded();
      this.notifies = await this.canNotify();
      if (this.notifies) await limited(link.connectSubscriber(), CONNECT_LIMIT);
      this.isUp = true;
      this.use.onConnected();
    } catch (error) {
      link.destroy();
      // that it took too long says less than what went wrong meanwhile
      const { failure, detail } = brokerError(this.lastError ?? error);
      const message = `redis cannot be used: ${failure} (${detail})`;
      throw new ConfigError(this.use.user, [{ path: this.use.setting, message }]);
    }
    this.logger.log({ topology: this.use.servers.redis.topology, notifies: this.notifies }, 'connected to redis');
  }

  async onApplicationShutdown(): Promise<void> {
    const { link } = this;
    if (link === undefined) return;
    await limited(link.close(), CLOSE_LIMIT).catch(() => undefined);
    link.destroy();
  }

  /** Whether keys that change are told of. */
  get isNotified(): boolean {
    return this.notifies;
  }

  /** Calls back each time when Redis is there again. */
  onBack(then: () => void): void {
    this.whenBack.push(then);
  }

  /** Why Redis cannot be used; undefined when it can. */
  async outage(): Promise<string | undefined> {
    try {
      await this.ping();
      return undefined;
    } catch (error) {
      return brokerError(error).detail;
    }
  }

  /** @param key that the command is about @throws BrokerError */
  command(key: string, ...words: readonly RedisWord[]): Promise<unknown> {
    return this.send(String(words[0]), key, words);
  }

  /** @param keys at least one; in a cluster all have one hash tag @throws BrokerError */
  async script(script: RedisScript, keys: readonly string[], values: readonly RedisWord[] = []): Promise<unknown> {
    const [key = ''] = keys;
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await this.send(script.name, key, ['EVALSHA', script.sha, ...rest], 'NOSCRIPT');
    } catch (error) {
      if (!(error instanceof BrokerError) || error.detail !== 'NOSCRIPT') throw error;
      return this.send(script.name, key, ['EVAL', script.text, ...rest]);
    }
  }

  /** Calls back when something happens to the key, from the time that the promise is fulfilled. @throws BrokerError */
  async watch(key: string, listener: () => void): Promise<void> {
    await this.limitedly('SUBSCRIBE', (link) => link.subscribe(this.channel(key), listener));
  }

  /** @throws BrokerError */
  async unwatch(key: string): Promise<void> {
    await this.limitedly('UNSUBSCRIBE', (link) => link.unsubscribe(this.channel(key)));
  }

  /** A server that still reads what it kept is waited for as one that is not there. */
  private async hasLoaded(): Promise<void> {
    const deadline = performance.now() + CONNECT_LIMIT;
    for (;;) {
      try {
        await this.send('PING', this.use.key, ['PING'], LOADING);
        return;
      } catch (error) {
        if (brokerError(error).detail !== LOADING || performance.now() > deadline) throw error;
      }
      await sleep(LOADING_PAUSE);
    }
  }

  private ping(): Promise<unknown> {
    return this.send('PING', this.use.key, ['PING']);
  }

  private send(name: string, key: string, words: readonly RedisWord[], expected?: string): Promise<unknown> {
    return this.limitedly(name, (link) => link.send(key, words), expected);
  }

  /** @param expected error that is none */
  private async limitedly<Result>(
    name: string,
    action: (link: RedisLink) => Promise<Result>,
    expected?: string,
  ): Promise<Result> {
    try {
      if (this.link === undefined) throw new BrokerError('closed', 'not connected');
      return await limited(action(this.link), COMMAND_LIMIT);
    } catch (thrown) {
      const error = brokerError(thrown);
      if (error.detail !== expected) this.use.onFailure(name, error.failure);
      throw error;
    }
  }

  /** @see coordinator.md C.9: `auto` asks whether Redis tells of lists (`Kl`, or `KA`) */
  private async canNotify(): Promise<boolean> {
    const {
      wakeupMode: mode,
      servers: { redis },
    } = this.use;
    if (mode !== 'auto') return mode === 'notify';
    if (redis.topology === 'cluster') return false;
    try {
      const reply = await this.send('CONFIG', '', ['CONFIG', 'GET', 'notify-keyspace-events']);
      const flags = Array.isArray(reply) ? String(reply[1]) : '';
      return flags.includes('K') && /[lA]/.test(flags);
    } catch {
      // a user that may not read the configuration, or a proxy that does not know the command
      return false;
    }
  }

  private channel(key: string): string {
    return `__keyspace@${databaseOf(this.use.servers.redis_url)}__:${key}`;
  }

  private readonly onLink = (error: unknown): void => {
    if (this.isUp === undefined) this.lastError = error;
    if (error !== undefined && this.isUp === true) {
      this.isUp = false;
      this.logger.warn({ reason: brokerError(error).detail }, `redis is gone: ${this.use.whileAway}`);
    } else if (error === undefined && this.isUp === false) {
      this.isUp = true;
      this.logger.log('redis is there');
      for (const then of this.whenBack) then();
    }
  };
}

/** @throws BrokerError `timeout` when it takes longer; what comes of it then is of no interest */
async function limited<Result>(action: Promise<Result>, limit: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BrokerError('timeout', `${limit} ms`));
    }, limit);
  });
  try {
    return await Promise.race([action, late]);
  } finally {
    clearTimeout(timer);
  }
}
