import { expect } from '@jest/globals';
import { percentile, watched } from './process-watch.ts';
import type { Stack } from './stack.ts';

const MIB = 1024 * 1024;
/** Memory beyond the idle process while a body is on its way, in bodies; 2 is the target, the rest is what no collection has had yet. */
const BODIES_HELD = 2.5;
/** Of code and young objects in a process that has served little, in MiB. */
const GROWTH = 48;
/** What may be left in the process afterwards, in MiB. */
const LEFT_OVER = 150;
const SETTLES_WITHIN_MS = 15_000;
/** Milliseconds that 99 of 100 looks at `/healthz` may take meanwhile: the event loop is not held. */
const HEALTH_P99 = 250;

/**
 * Does the work and expects that the coordinator stays within its limits of memory and answers `/healthz` meanwhile.
 * @param largest bytes of the largest body on its way, in either direction
 */
export async function expectWithinLimits(stack: Stack, largest: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < 10; i++) await serveSmall(stack);
  const idle = stack.rssMiB();
  const seen = await watched(stack, work);
  expect(seen.failures).toBe(0);
  expect(percentile(seen, 0.99)).toBeLessThan(HEALTH_P99);
  expect(seen.peakMiB - idle).toBeLessThan((BODIES_HELD * largest) / MIB + GROWTH);
  await settle(stack, idle + LEFT_OVER);
  expect(stack.rssMiB()).toBeLessThan(idle + LEFT_OVER);
}

/** Memory is given back when it is collected, and that comes with requests. */
async function settle(stack: Stack, limit: number): Promise<void> {
  const deadline = Date.now() + SETTLES_WITHIN_MS;
  while (stack.rssMiB() >= limit && Date.now() < deadline) await serveSmall(stack);
}

async function serveSmall({ coordinatorUrl }: Stack): Promise<void> {
  const body = JSON.stringify({ model: 'm', prompt: [1, 2, 3], max_tokens: 1 });
  const answer = await fetch(`${coordinatorUrl}/v1/completions`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  await answer.bytes();
}
