import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findVersioned } from './find-program.ts';
import { REDIS, RedisProcess } from './redis-process.ts';

/** Stands in for Redis: says its version, or what it was started with, amid what every Redis says. */
const STAND_IN = `#!${process.execPath}
const { createServer } = require('node:net');
if (process.argv.includes('--version')) {
  console.log('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0');
} else {
  console.log('17:C 30 Nov 2026 07:06:03.950 # oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo');
  console.log(process.argv.slice(2).filter((word) => !word.startsWith('/')).join(' '));
  console.log('17:M 30 Nov 2026 07:06:03.951 # Server initialized');
  createServer((socket) => socket.end('+PONG')).listen(Number(process.argv[process.argv.indexOf('--port') + 1]));
}
`;

const folder = mkdtempSync(join(tmpdir(), 'redis-'));
const program = join(folder, 'redis-server');
writeFileSync(program, STAND_IN, { mode: 0o755 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('RedisProcess', () => {
  it('is ready when it takes connections, tells of lists and keeps nothing; its greeting is left out', async () => {
    const lines: string[] = [];
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const redis = new RedisProcess(program, port, (line) => lines.push(line));
    await redis.ready();
    await redis.stop();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`--bind 127.0.0.1 --port ${port} --dir`);
    expect(lines[0]).toContain('--appendonly no');
    expect(lines[0]).toContain('--notify-keyspace-events Kl');
  });
});

describe('REDIS', () => {
  it('knows its version', () => {
    expect(findVersioned(REDIS, program)).toEqual({ program, version: '7.0.15' });
  });
});
