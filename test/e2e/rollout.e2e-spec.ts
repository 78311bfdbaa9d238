import { describe, expect, it, jest } from '@jest/globals';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { cleanup } from '#testing';
import { ensureEnvoy } from '../install/envoy.mjs';
import { CoordinatorPair, takesConnections } from './support/coordinator-pair.ts';
import { eventually } from './support/eventually.ts';
import { HeldStreams } from './support/held.streams.ts';
import { openChat, readText } from './support/streaming.client.ts';

// processes are started and drain for seconds, and the machine may be busy
jest.setTimeout(120_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const later = cleanup();
const IDS = Array.from({ length: 50 }, (_, i) => `stream-${i}`);
/** Milliseconds between two requests of the steady load, however long one takes. */
const EVERY = 50;

withEnvoy('coordinators that are replaced one after the other behind a real Envoy', () => {
  async function start(changes = {}): Promise<{ pair: CoordinatorPair; held: HeldStreams }> {
    const held = await HeldStreams.start();
    later(() => held.close());
    const endpoints = { encode: [], prefill: [], decode: [`http://${held.worker.address}`] };
    const cluster = await startSimulatedCluster({ workers: [{ role: 'prefill' }], gateway: { endpoints } });
    later(() => cluster.close());
    const pair = await CoordinatorPair.start(cluster, changes);
    later(() => pair.stop());
    process.stdout.write(`Envoy ${await pair.envoy.version()}\n`);
    return { pair, held };
  }

  it('fail no request and cut no stream', async () => {
    const { pair, held } = await start();
    const old = [...pair.instances];
    const streams = IDS.map((id) => held.ask(pair.url, id));
    await eventually(() => held.running === IDS.length);
    const shares = await Promise.all(old.map((instance) => instance.requestsRunning()));
    expect([shares.reduce((sum, share) => sum + share), shares.includes(0)]).toEqual([IDS.length, false]);
    const answers = await underLoad(pair.url, async () => {
      for (const [index, instance] of old.entries()) {
        instance.process.signal('SIGTERM');
        await eventually(async () => !(await takesConnections(instance)));
        expect(held.running).toBe(IDS.length);
        // they have lasted until the last one took no more
        if (index === old.length - 1) held.release();
        await pair.replace(instance);
        await eventually(async () => (await pair.healthy()) === old.length);
      }
      const endings = await Promise.all(old.map(({ process }) => process.ended));
      expect(endings).toEqual(old.map(() => ({ code: 0, signal: null })));
    });
    expect(await Promise.all(streams)).toEqual(IDS.map((id) => ({ text: held.textOf(id), isWhole: true })));
    expect(answers.filter((answer) => answer !== `200 ${HeldStreams.short}`)).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);
  });

  it('would fail requests without the drain delay, for Envoy has to find out first', async () => {
    const { pair } = await start({ drain_delay: '0s' });
    const [instance] = pair.instances;
    if (instance === undefined) throw new Error('there are two');
    const answers = await underLoad(pair.url, async () => {
      instance.process.signal('SIGTERM');
      await eventually(async () => (await pair.healthy()) === 1);
    });
    expect(answers.filter((answer) => answer.startsWith('503'))).not.toEqual([]);
  });
});

/** Asks at a steady rate while the work runs. @returns status and body of each answer, or what went wrong */
async function underLoad(url: string, work: () => Promise<void>): Promise<readonly string[]> {
  const asked: Promise<string>[] = [];
  const timer = setInterval(() => asked.push(once(url, asked.length)), EVERY);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Promise.all(asked);
}

async function once(url: string, number: number): Promise<string> {
  const messages = [{ role: 'user', content: `Request ${number}: what is it about, in a few plain words?` }];
  try {
    const answer = await openChat(url, { model: 'm', stream: true, messages });
    return `${answer.statusCode ?? 0} ${await readText(answer)}`;
  } catch (error) {
    return String(error);
  }
}
