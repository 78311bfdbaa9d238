import { z } from 'zod';

const redis = z
  .strictObject({
    topology: z
      .enum(['standalone', 'sentinel', 'cluster'])
      .default('standalone')
      .describe('What `redis_url` leads to: one server, one of the sentinels, or one node of a cluster.'),
    nodes: z
      .array(z.string().regex(/^[^\s:/@]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, { error: 'expected host:port' }))
      .default([])
      .describe('Further sentinels or nodes, as host:port.'),
    master_name: z.string().default('').describe('What the sentinels call the master.'),
    sentinel_auth: z.boolean().default(false).describe('The sentinels want the credentials of `redis_url`, too.'),
    password_file: z
      .string()
      .default('')
      .describe('File with the password, read at the start; it takes the place of the one in `redis_url`.'),
    ca_file: z.string().default('').describe("PEM file of the authorities that sign the servers' certificates."),
    insecure_skip_verify: z
      .boolean()
      .default(false)
      .describe('Accept any certificate. For tests: nothing then proves who answers.'),
  })
  .prefault({});

/** The settings that say where Redis is, for every section that has them. */
export const redisServers = {
  redis_url: z
    .string({ error: 'expected a URL such as "redis://redis:6379"' })
    .trim()
    .refine(isRedisUrl, {
      error: 'expected a URL such as "redis://redis:6379" or "rediss://user:password@redis:6379/0"',
    })
    .describe('Where Redis is: `redis://` or `rediss://` (TLS), with credentials and the number of the database.'),
  redis,
} as const;

/** Where Redis is. */
export interface RedisServers {
  readonly redis_url: string;
  readonly redis: Readonly<z.output<typeof redis>>;
  /** What the connections are called at the server. */
  readonly client?: string;
}

function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, search, hash } = new URL(text);
  return hostname !== '' && /^(\/\d{0,5})?$/.test(pathname) && search === '' && hash === '';
}
