import { describe, expect, it } from '@jest/globals';
import { paced } from './paced.ts';
import type { Steps } from './paced.ts';

function* until(done: () => boolean): Steps<string> {
  while (!done()) yield;
  return 'done';
}

describe('paced', () => {
  it('does short work at once', () => {
    expect(paced(until(() => true))).toBe('done');
  });

  it('lets the event loop go on while there is more', async () => {
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    expect(await paced(until(() => hasTurned))).toBe('done');
  });
});
