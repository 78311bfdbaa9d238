import { describe, expect, it } from '@jest/globals';
import { startSimulation } from '../cluster.ts';
import { ScriptedPicker, sendsTo } from '../testing/scripted-picker.ts';

describe('the pickers of the development gateway', () => {
  it('are asked each about its phase, and there is no other phase', async () => {
    const pickers = await Promise.all([1, 2, 3].map(() => ScriptedPicker.start(sendsTo('127.0.0.1:1'))));
    const [encode, prefill, decode] = pickers.map(({ address }) => address);
    const simulation = await startSimulation({
      gateway: { picker: { encode: encode ?? '', prefill: prefill ?? '', decode: decode ?? '' } },
    });
    try {
      const ask = (profile: string): Promise<Response> =>
        fetch(simulation.gateway?.url ?? '', { headers: { 'EPP-Profile': profile } });
      for (const profile of ['prefill', 'prefill', 'decode', 'other']) expect((await ask(profile)).status).toBe(503);
      expect(pickers.map(({ streams }) => streams.length)).toEqual([0, 2, 1]);
      for (const picker of pickers) picker.close();
      expect((await ask('encode')).status).toBe(503);
    } finally {
      await simulation.close();
      for (const picker of pickers) picker.close();
    }
  });

  it('serve again when one that was gone has come back at its address', async () => {
    const first = await ScriptedPicker.start(sendsTo(''));
    const simulation = await startSimulation({ gateway: { picker: first.address } });
    const ask = async (): Promise<string> => {
      const answer = await fetch(simulation.gateway?.url ?? '', { headers: { 'EPP-Profile': 'decode' } });
      return answer.text();
    };
    try {
      expect(await ask()).toContain('named no endpoint');
      first.close();
      expect(await ask()).toContain('gRPC status 14');
      const second = await ScriptedPicker.start(sendsTo(''), first.address);
      while (!(await ask()).includes('named no endpoint')); // the test's own limit ends it
      second.close();
    } finally {
      await simulation.close();
    }
  });
});
