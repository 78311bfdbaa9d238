import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackArguments } from './stack-arguments.ts';
import type { StackPrograms } from './stack-parts.ts';
import { stackPlan } from './stack-plan.ts';
import type { StackPlan } from './stack-plan.ts';
import { startStack } from './stack.ts';
import { takenPorts } from './taken-ports.ts';

/** Stands in for a built program: takes its port from a flag or from its configuration, and says when it ends. */
const STAND_IN = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const flag = (name) => process.argv.find((argument) => argument.startsWith('--' + name + '='))?.split('=')[1];
const file = process.argv[process.argv.indexOf('--config') + 1];
const port = flag('grpc-port') ?? flag('port') ?? JSON.parse(readFileSync(file, 'utf8')).server.listen_addr.split(':')[1];
createServer((request, response) => response.end()).listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
process.on('SIGUSR2', () => process.exit(7));
console.log('pid ' + process.pid);
`;

/** And for Redis. */
const REDIS = `
const { createServer } = require('node:http');
createServer().listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1');
process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
`;

const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
const main = join(folder, 'main.mjs');
const redis = join(folder, 'redis-server');
beforeAll(() => {
  writeFileSync(main, STAND_IN);
  writeFileSync(redis, `#!${process.execPath}\n${REDIS}`, { mode: 0o755 });
  writeFileSync(join(folder, 'broken.mjs'), 'process.exit(3)');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const MAINS = { coordinatorMain: main, pickerMain: main, sidecarMain: main, asyncWorkerMain: main };

/** On ports that are free, and below those that systems give away. */
async function freePlan(...argv: string[]): Promise<StackPlan> {
  for (;;) {
    const offset = 2000 + Math.floor(Math.random() * 20_000);
    const plan = stackPlan(stackArguments(['--port-offset', String(offset), ...argv]));
    if ((await takenPorts(plan.host, plan.ports)).length === 0) return plan;
  }
}

function recording(changes: Partial<StackPrograms> = {}): { programs: StackPrograms; lines: string[] } {
  const lines: string[] = [];
  const print = (program: string, line: string): void => void lines.push(`${program}: ${line}`);
  return { lines, programs: { ...MAINS, print, ...changes } };
}

describe('startStack', () => {
  it('is there when all parts are ready, and stops those first that call the others', async () => {
    const { programs, lines } = recording();
    const stack = await startStack(await freePlan('--pickers', '3'), programs);
    const ready = lines.filter((line) => line.endsWith(': ready')).toSorted();
    expect(ready).toEqual([
      'coordinator: ready',
      'picker-decode: ready',
      'picker-encode: ready',
      'picker-prefill: ready',
    ]);
    await stack.stop();
    expect(lines.filter((line) => line.endsWith(': bye'))).toEqual([
      'coordinator: bye',
      'picker-decode: bye',
      'picker-prefill: bye',
      'picker-encode: bye',
    ]);
  });

  it('has sidecars there before the picker looks at their engines through them, and longer', async () => {
    const { programs, lines } = recording();
    const stack = await startStack(await freePlan('--sidecar'), programs);
    await stack.stop();
    const said = (word: string): string[] => lines.filter((line) => line.endsWith(`: ${word}`));
    expect(said('ready').slice(0, 2).toSorted()).toEqual(['sidecar-1: ready', 'sidecar-2: ready']);
    expect(said('ready')[2]).toBe('picker: ready');
    const began = (part: string): number => lines.findIndex((line) => line.startsWith(`${part}: pid `));
    expect(began('picker')).toBeGreaterThan(lines.indexOf('sidecar-2: ready'));
    expect(said('bye')).toEqual(['picker: bye', 'sidecar-2: bye', 'sidecar-1: bye']);
  });

  it('has Redis ready before those who look for it at their start, and stops it behind them', async () => {
    const { programs, lines } = recording({ redis });
    const stack = await startStack(await freePlan('--async'), programs);
    const at = (line: string): number => lines.findIndex((said) => said.startsWith(line));
    expect(at('redis: ready')).toBeLessThan(at('coordinator: pid'));
    expect(at('redis: ready')).toBeLessThan(at('async-worker: pid'));
    await stack.stop();
    expect(lines.filter((line) => line.endsWith(': bye'))).toEqual([
      'async-worker: bye',
      'coordinator: bye',
      'picker: bye',
      'redis: bye',
    ]);
  });

  it('tells which part ended by itself', async () => {
    const { programs, lines } = recording();
    const stack = await startStack(await freePlan(), programs);
    const pid = lines
      .find((line) => line.startsWith('picker: pid '))
      ?.split(' ')
      .at(-1);
    process.kill(Number(pid), 'SIGUSR2');
    expect(await stack.ended).toEqual({ part: 'picker', code: 7 });
    await stack.stop();
  });

  it.each([
    {
      part: 'picker',
      changes: { pickerMain: join(folder, 'broken.mjs') },
      says: 'the endpoint picker .picker. ended',
    },
    { part: 'coordinator', changes: { coordinatorMain: join(folder, 'broken.mjs') }, says: 'the coordinator ended' },
    {
      part: 'sidecar',
      changes: { sidecarMain: join(folder, 'broken.mjs') },
      says: 'the decode sidecar .sidecar-[12]. ended', // either may be the first
      argv: ['--sidecar', '--kv-connector=mooncake'],
    },
  ])('leaves nothing behind when the $part does not start', async ({ changes, says, argv = [] }) => {
    const { programs } = recording(changes);
    const wanted = await freePlan(...argv);
    await expect(startStack(wanted, programs)).rejects.toThrow(new RegExp(`^${says} with code 3 while starting$`));
    expect(await takenPorts(wanted.host, wanted.ports)).toEqual([]);
  });
});

describe('a taken port', () => {
  it('is found, with the part that wants it; so is one that two parts want', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // a server on a port has an address object
    const ports = new Map([
      ['render', port],
      ['media', 0],
      ['decode', 0],
    ]);
    expect(await takenPorts('127.0.0.1', ports)).toEqual(['render', 'decode']);
    const plan = stackPlan(stackArguments(['--port', `render=${port}`]));
    await expect(startStack(plan, recording().programs)).rejects.toThrow(
      `port ${port} is taken; render wants it. Another one: --port render=${port + 100}`,
    );
    other.close();
  });
});
