import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type OpenAI from 'openai';
import { png } from '../../apps/simulator/src/media/png.ts';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

type Part = OpenAI.ChatCompletionContentPart;

const text = (words: string): Part => ({ type: 'text', text: words });
const image = (url: string): Part => ({ type: 'image_url', image_url: { url } });
/** A picture of one colour, as an inline image. */
const inline = (red: number): string => `data:image/png;base64,${png(90, 60, [red, 0, 0]).toString('base64')}`;

describe.each([{ use_openai_format: true }, { use_openai_format: false }])(
  'images through the openai client, with $use_openai_format for use_openai_format',
  (pipeline) => {
    let stack: Stack;
    let client: OpenAI;

    beforeAll(async () => {
      stack = await startStack({ pipeline });
      client = openAi(stack.url);
    });
    afterAll(() => stack.stop());

    const ask = async (id: string, ...content: Part[]): Promise<OpenAI.ChatCompletion> =>
      client.chat.completions.create({ model: 'sim-model', messages: [{ role: 'user', content }] }, withId(id));
    const phases = (id: string): string => phaseNames(stack.cluster.requests.of(id));

    it('fetches images by URL and has each encoded', async () => {
      const { media, requests } = stack.cluster;
      requests.clear();
      const answer = await ask(
        'by-url',
        text('What is the difference?'),
        image(`${media.url}/red.png`),
        image(`${media.url}/blue.png`),
      );
      expect(answer.choices[0]?.finish_reason).toBe('stop');
      expect(phases('by-url')).toBe('render, probe 412, encode×2, prefill, decode');
      expect(requests.phase('media').map(({ path }) => path)).toEqual(
        expect.arrayContaining(['/red.png', '/blue.png']),
      );
    });

    it('takes inline images as they are', async () => {
      const answer = await ask('inline', text('What is in these?'), image(inline(200)), image(inline(100)));
      expect(answer.choices[0]?.finish_reason).toBe('stop');
      expect(phases('inline')).toBe('render, probe 412, encode×2, prefill, decode');
    });

    it('fetches a repeated URL once and has it encoded once', async () => {
      const { media, requests } = stack.cluster;
      requests.clear();
      const url = `${media.url}/red.png`;
      await ask('repeated', text('The same thrice.'), image(url), text('and'), image(url), image(url));
      expect(phases('repeated')).toBe('render, probe 412, encode, prefill, decode');
      expect(requests.phase('media')).toHaveLength(1);
    });

    it('streams an answer about an image to the text that it gives whole', async () => {
      const messages = [{ role: 'user' as const, content: [text('What is it?'), image(inline(60))] }];
      const whole = await client.chat.completions.create({ model: 'sim-model', messages });
      const streamed = await client.chat.completions.stream({ model: 'sim-model', messages }).finalContent();
      expect(streamed).toBe(whole.choices[0]?.message.content);
    });

    it('sends the picture itself nowhere but to render, encode, prefill and decode', async () => {
      await ask('where', text('Look.'), image(inline(30)));
      const calls = stack.cluster.requests.of('where').filter(({ phase }) => phase !== 'client');
      expect(new Set(calls.map(({ server }) => server))).toEqual(
        new Set(['render', 'decode-1', 'encode-1', 'prefill-1']),
      );
    });
  },
);
