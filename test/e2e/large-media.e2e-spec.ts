import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { png } from '../../apps/simulator/src/media/png.ts';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { expectWithinLimits } from './support/resource-limits.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

/** A picture of 20 MB; the decoders in use look at its front only. */
const BIG_PNG = Buffer.concat([png(640, 480, [9, 9, 9]), Buffer.alloc(20_000_000, 'no pixels of any picture. ')]);
/** Bytes that base64 makes of so many. */
const inBase64 = (bytes: number): number => (bytes * 4) / 3;

describe('large media', () => {
  let media: Server;
  let stack: Stack | undefined;

  beforeAll(async () => {
    media = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': BIG_PNG.length }).end(BIG_PNG);
    }).listen(0, '127.0.0.1');
    await once(media, 'listening');
  });
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });
  afterAll(() => {
    media.close();
  });

  const params = { 'replace-media-urls': { max_download_size: 20 } };
  const bigUrl = (): string => {
    const { port } = media.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}/big.png`;
  };

  it.each([
    { how: 'inline', url: () => `data:image/png;base64,${BIG_PNG.toString('base64')}` },
    { how: 'by its URL', url: bigUrl },
  ])('takes an image of 20 MB $how through every phase', async ({ url }) => {
    const running = (stack = await startStack({ params }));
    await expectWithinLimits(running, inBase64(BIG_PNG.length), async () => {
      expect(await ask(running, 'big', url())).toMatchObject({ status: 200, isWhole: true });
    });
    expect(phaseNames(running.cluster.requests.of('big'))).toBe('render, probe 412, encode, prefill, decode');
  });

  it('refuses an image that is larger than it may be, without a body in memory', async () => {
    const running = (stack = await startStack({ params: { 'replace-media-urls': { max_download_size: 19 } } }));
    await expectWithinLimits(running, 1, async () => {
      expect(await ask(running, 'too-big', bigUrl())).toMatchObject({ status: 400 });
    });
  });

  it.each([{ use_openai_format: true }, { use_openai_format: false }])(
    'carries 20 MB of processor output for each of two images, with $use_openai_format for use_openai_format',
    async (pipeline) => {
      const each = 20_000_000;
      const running = (stack = await startStack({ pipeline, cluster: { render: { kwargs_bytes: each } } }));
      await expectWithinLimits(running, inBase64(2 * each), async () => {
        const urls = ['red', 'blue'].map((name) => `${running.cluster.media.url}/${name}.png`);
        expect(await ask(running, 'kwargs', ...urls)).toMatchObject({ status: 200, isWhole: true });
      });
      const calls = running.cluster.requests.of('kwargs');
      expect(phaseNames(calls)).toBe('render, probe 412, encode×2, prefill, decode');
      const sizes = calls.filter(({ phase }) => phase === 'encode').map(({ facts }) => Number(facts['bytes']));
      // chat bodies carry the picture, the others the output made of it
      for (const size of sizes) expect(size > inBase64(each)).toBe(!pipeline.use_openai_format);
    },
  );
});

/** Asks about images, and reads the stream to its end. */
async function ask(
  { coordinatorUrl }: Stack,
  id: string,
  ...urls: string[]
): Promise<{ status: number; isWhole: boolean }> {
  const images = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const text = { type: 'text', text: 'Tell me in a few plain words what is to be seen here, and what is not.' };
  const response = await fetch(`${coordinatorUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-request-id': id },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: [text, ...images] }] }),
  });
  const answer = await response.text();
  return { status: response.status, isWhole: answer.endsWith('data: [DONE]\n\n') };
}
