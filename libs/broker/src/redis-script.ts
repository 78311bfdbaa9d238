import { createHash } from 'node:crypto';

/** A Lua script; Redis keeps it and is asked for it by its SHA-1. */
export interface RedisScript {
  /** What the command is called in metrics. */
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

export function redisScript(name: string, text: string): RedisScript {
  return { name, text, sha: createHash('sha1').update(text).digest('hex') };
}
