import { describe, expect, it } from '@jest/globals';
import { TimeLimitError, withinTime } from './time-limit.ts';

/** Work that is never done, and the signal that it was given. */
function endless(): { start: (signal: AbortSignal) => Promise<void>; signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<void> => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  return { start, signals };
}

describe('withinTime', () => {
  it('waits until the work is done', async () => {
    let isDone = false;
    await withinTime(1000, undefined, async () => {
      await Promise.resolve();
      isDone = true;
    });
    expect(isDone).toBe(true);
  });

  it('takes work that is done at once', async () => {
    await expect(withinTime(0, undefined, () => undefined)).resolves.toBeUndefined();
  });

  it('gives up when the time is over, and says so to the work', async () => {
    const { start, signals } = endless();
    await expect(withinTime(1, undefined, start)).rejects.toThrow(new TimeLimitError(1));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('gives up when nobody wants the result any more', async () => {
    const gone = new AbortController();
    const { start, signals } = endless();
    const waiting = withinTime(60_000, gone.signal, start);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('does not begin what nobody wants', async () => {
    const { start, signals } = endless();
    await expect(withinTime(60_000, AbortSignal.abort(), start)).rejects.toThrow();
    expect(signals).toEqual([]);
  });

  it.each([
    [
      'at once',
      (): void => {
        throw new Error('broken');
      },
    ],
    ['later', (): Promise<void> => Promise.reject(new Error('broken'))],
  ])('throws what the work throws %s', async (_when, start) => {
    await expect(withinTime(1000, undefined, start)).rejects.toThrow('broken');
  });
});
