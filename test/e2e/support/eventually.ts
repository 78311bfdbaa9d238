import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 30_000;

/** Asks until it is so. @throws Error after half a minute */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come about in time');
    await sleep(10);
  }
}
