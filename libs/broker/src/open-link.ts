import type { LinkListener, RedisLink } from './redis.link.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** The link of the configured topology, not connected yet. The client library is loaded by then, and not before. */
export async function openLink(config: RedisServers, listener: LinkListener): Promise<RedisLink> {
  switch (config.redis.topology) {
    case 'standalone':
      return new (await import('./standalone.link.ts')).StandaloneLink(config, listener);
    case 'sentinel':
      return new (await import('./sentinel.link.ts')).SentinelLink(config, listener);
    case 'cluster':
      return new (await import('./cluster.link.ts')).ClusterLink(config, listener);
  }
}
