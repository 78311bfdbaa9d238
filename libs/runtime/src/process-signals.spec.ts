import { describe, expect, it } from '@jest/globals';
import { Child } from '#testing';

const SOURCE = new URL('process-signals.ts', import.meta.url).href;

/** A process with signal handlers that goes on until it is told. */
async function running(code: string, isWorker = false): Promise<Child> {
  const child = new Child(`
    import { ProcessSignals } from '${SOURCE}';
    const signals = new ProcessSignals(${isWorker});
    setInterval(() => undefined, 1_000);
    ${code}
    console.log('running');
  `);
  await child.until('running');
  return child;
}

/** Never done with stopping. */
const SLOW = `(signal) => {
  console.log('stopping', signal);
  return new Promise(() => undefined);
}`;

describe('ProcessSignals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('runs the stop on %s and exits 0 when it is done', async (signal) => {
    const child = await running(`
      signals.onStop(async (signal) => {
        console.log('stopping', signal);
        await new Promise((resolve) => setTimeout(resolve, 50));
        console.log('stopped');
      });
    `);
    child.send(signal);
    expect(await child.exit).toBe(0);
    expect(child.text).toBe(`running\nstopping ${signal}\nstopped\n`);
  });

  it('takes signals over from whoever listened while the program was loaded', async () => {
    const child = new Child(`
      import { ProcessSignals } from '${SOURCE}';
      process.on('SIGTERM', () => process.exit(7));
      new ProcessSignals().onStop(async () => console.log('stopped'));
      setInterval(() => undefined, 1_000);
      console.log('running');
    `);
    await child.until('running');
    child.send('SIGTERM');
    expect(await child.exit).toBe(0);
    expect(child.text).toBe('running\nstopped\n');
  });

  it('hears a signal that came while the program was loaded and that nobody has been told of yet', async () => {
    const child = new Child(`
      import { ProcessSignals } from '${SOURCE}';
      process.on('SIGTERM', () => process.exit(7));
      process.kill(process.pid, 'SIGTERM');
      new ProcessSignals();
      setTimeout(() => process.exit(9), 10_000);
    `);
    expect(await child.exit).toBe(0);
  });

  it('exits 0 also where the stop fails', async () => {
    const child = await running("signals.onStop(() => Promise.reject(new Error('no')));");
    child.send('SIGTERM');
    expect(await child.exit).toBe(0);
  });

  it.each([
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
    ['SIGINT', 'SIGINT', 130],
  ] as const)('exits at once on a second signal: %s, %s', async (first, second, status) => {
    const child = await running(`signals.onStop(${SLOW});`);
    child.send(first);
    await child.until('stopping');
    child.send(second);
    expect(await child.exit).toBe(status);
  });

  it('kills what it has started before a second signal ends it', async () => {
    const child = await running(`signals.onStop(${SLOW}, () => console.log('killed'));`);
    child.send('SIGTERM');
    await child.until('stopping');
    child.send('SIGTERM');
    await child.exit;
    expect(child.text).toContain('killed');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('exits 0 at once on %s during the start', async (signal) => {
    const child = await running('');
    child.send(signal);
    expect(await child.exit).toBe(0);
  });

  it('leaves Ctrl-C to the supervisor of a worker, and ends on SIGTERM', async () => {
    const child = await running("signals.onStop(async (signal) => console.log('stopping', signal));", true);
    child.send('SIGINT');
    child.send('SIGTERM');
    expect(await child.exit).toBe(0);
    expect(child.text).toBe('running\nstopping SIGTERM\n');
  });
});
