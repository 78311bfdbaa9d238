import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { metricOf } from './support/picker-metrics.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import { sampleConfig } from './support/sample-config.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import { openChat, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const ROLES = ['encode', 'prefill', 'decode'] as const;
const FOREIGN = '10.0.0.9:9090';

/** Prompts that have nothing in common with another one's beginning. */
const words = (topic: string): string => `${topic}: tell me in many plain words how it came about and why.`;

withEnvoy.each([
  { sample: 'pd.yaml', encodes: false },
  { sample: 'epd.yaml', encodes: true },
])('one pick for all stages behind a real Envoy, as config/epp/$sample has it', ({ sample, encodes }) => {
  let workers: ScriptedWorker[];
  let stack: PickerStack;
  const [encode, prefill, decode] = [0, 1, 2].map((index) => () => workers[index]?.address);
  beforeAll(async () => {
    workers = await Promise.all(
      ROLES.map((role) => ScriptedWorker.start(`${role}-1`, role, (_request, response) => void response.end('{}'))),
    );
    const picker = (endpoints: string) => ({ name: sample, config: sampleConfig(sample, endpoints) });
    stack = await startPickerStack({ workers, picker });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all(workers.map((worker) => worker.close()));
  });

  let requests = 0;
  /** Sends a chat, a foreign address under each routing header with it. @returns those headers as the decode worker got them */
  async function stagesOf(content: unknown, changes: object = {}): Promise<unknown> {
    requests += 1;
    const id = `sidecar-${requests}`;
    const chat = { model: 'm', messages: [{ role: 'user', content }], ...changes };
    const headers = { 'x-prefiller-host-port': FOREIGN, 'x-encoder-hosts-ports': FOREIGN, 'x-request-id': id };
    const answer = await openChat(stack.url, chat, headers);
    expect([answer.statusCode, await readText(answer)]).toEqual([200, '{}']);
    const got = workers[2]?.request(id);
    expect(got?.headers['x-gateway-destination-endpoint']).toBe(decode?.());
    expect(JSON.stringify(got?.rawHeaders)).not.toContain(FOREIGN);
    return { prefiller: got?.headers['x-prefiller-host-port'], encoders: got?.headers['x-encoder-hosts-ports'] };
  }

  it('names a prefill worker where a prompt is cold, and none where decode has it or it is short', async () => {
    expect(await stagesOf(words('Cold'))).toEqual({ prefiller: prefill?.(), encoders: undefined });
    expect(await stagesOf(words('Cold'))).toEqual({ prefiller: undefined, encoders: undefined });
    expect(await stagesOf('hi')).toEqual({ prefiller: undefined, encoders: undefined });
  });

  it.each([
    ['an image as it is specified', { type: 'image_url', image_url: { url: 'https://img.example/c.png' } }],
    ['an image without a type', { image_url: 'https://img.example/a.png' }],
    ['an image whose URL is a string', { type: 'image_url', image_url: 'https://img.example/b.png' }],
    ['a video', { type: 'video_url', video_url: { url: 'https://img.example/v.mp4' } }],
    ['a sound by its URL', { type: 'audio_url', audio_url: { url: 'https://img.example/a.mp3' } }],
    ['a sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
  ])('names an encode worker for %s, where there is an encode stage', async (name, part) => {
    const content = ['what is this?', { type: 'text', text: words(name) }, part];
    expect(await stagesOf(content)).toEqual({ prefiller: prefill?.(), encoders: encodes ? encode?.() : undefined });
  });

  it('counts which stages had a worker of their own', async () => {
    const of = (type: string): Promise<number> =>
      metricOf(stack.picker, 'llm_d_epp_disagg_decision_total', { decision_type: type });
    const before = await of('prefill-decode');
    await stagesOf(words('Counted'));
    await eventually(async () => (await of('prefill-decode')) === before + 1);
  });

  it('sends nothing to the other workers itself', () => {
    expect(workers.map((worker) => worker.requests.length > 0)).toEqual([false, false, true]);
  });
});
