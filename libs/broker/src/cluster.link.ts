import { createCluster } from 'redis';
import { RedisLink } from './redis.link.ts';
import type { LinkListener, RedisWord } from './redis.link.ts';
import { BYTES } from './redis-bytes.ts';
import { addressesOf, connectionOptions, credentialsOf } from './redis-options.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** The nodes of a cluster. All keys of the broker are on one of them: `docs/queued-requests.md`, "Cluster". */
export class ClusterLink extends RedisLink {
  private readonly cluster: ReturnType<typeof clusterOf>;

  constructor(config: RedisServers, listener: LinkListener) {
    super();
    this.cluster = clusterOf(config);
    this.cluster
      .on('error', listener)
      .on('node-error', listener)
      .on('node-ready', () => {
        listener(undefined);
      });
  }

  async connect(): Promise<void> {
    await this.cluster.connect();
  }

  send(key: string, words: readonly RedisWord[]): Promise<unknown> {
    return this.cluster.sendCommand(key, false, [...words], BYTES);
  }

  connectSubscriber(): Promise<void> {
    return Promise.reject(new Error('a cluster tells of a key on its own node only'));
  }

  subscribe(): Promise<void> {
    return this.connectSubscriber();
  }

  unsubscribe(): Promise<void> {
    return this.connectSubscriber();
  }

  async close(): Promise<void> {
    if (this.cluster.isOpen) await this.cluster.close();
  }

  destroy(): void {
    if (this.cluster.isOpen) this.cluster.destroy();
  }
}

function clusterOf(config: RedisServers) {
  const options = connectionOptions(config);
  return createCluster({
    rootNodes: addressesOf(config).map((socket) => ({ socket })),
    defaults: { ...options, ...credentialsOf(config) },
    RESP: 2,
  });
}
