import { readFileSync } from 'node:fs';
import type { RedisServers } from './redis-servers.config.ts';

/** Milliseconds for a connection to be made. */
export const CONNECT_LIMIT = 5_000;
/** Milliseconds between two signs of life of an idle connection, and after how many without any it counts as broken. */
const PING_INTERVAL = 5_000;
const SILENCE_LIMIT = 12_000;
/** Milliseconds before the first try to connect again, and at most between two. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Where a server is. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export function addressesOf({ redis_url: url, redis }: RedisServers): RedisAddress[] {
  const { hostname, port } = new URL(url);
  const first = { host: withoutBrackets(hostname), port: port === '' ? DEFAULT_PORT : Number(port) };
  const further = redis.nodes.map((node) => {
    const end = node.lastIndexOf(':');
    return { host: withoutBrackets(node.slice(0, end)), port: Number(node.slice(end + 1)) };
  });
  return [first, ...further];
}

const DEFAULT_PORT = 6379;

export function databaseOf(url: string): number {
  return Number(new URL(url).pathname.slice(1));
}

/** User and password, as far as there are any. @throws Error where the file with the password cannot be read */
export function credentialsOf({ redis_url: url, redis }: Pick<RedisServers, 'redis_url' | 'redis'>): {
  readonly username?: string;
  readonly password?: string;
} {
  const { username, password: inUrl } = new URL(url);
  const password = redis.password_file === '' ? decodeURIComponent(inUrl) : passwordIn(redis.password_file);
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password }),
  };
}

/** Editors end a file with a new line, which no password does. */
function passwordIn(file: string): string {
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}

/**
 * How every connection is made, whatever the topology. A command is refused while its connection is down: what waited for a
 * server to come back would be answered long after its client has left.
 */
export function connectionOptions({ redis_url: url, redis, client = 'llm-d-coordinator' }: RedisServers) {
  const limits = { connectTimeout: CONNECT_LIMIT, socketTimeout: SILENCE_LIMIT, reconnectStrategy: pauseBefore };
  const socket = url.toLowerCase().startsWith('rediss:')
    ? { ...limits, tls: true as const, ...certificateOptions(redis.ca_file, !redis.insecure_skip_verify) }
    : limits;
  return {
    name: client,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL,
    disableClientInfo: true,
    maintNotifications: 'disabled' as const,
    socket,
  };
}

/** Milliseconds before the next try, doubled with each and spread: replicas must not all come back in the same moment. */
export function pauseBefore(retries: number): number {
  const most = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(retries, 16));
  return most * (0.5 + Math.random() / 2);
}

function certificateOptions(caFile: string, rejectUnauthorized: boolean) {
  return { rejectUnauthorized, ...(caFile === '' ? {} : { ca: readFileSync(caFile) }) };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
