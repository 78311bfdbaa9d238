import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { JsonObject } from '#json';
import { findMediaParts } from '#protocol';
import { MediaDownloader } from './media-downloader.ts';
import { MediaInliner } from './media-inliner.ts';
import type { MediaReplacement } from './media-inliner.ts';
import { loopbackRules, MediaOrigin, PNG, reasonOf, serve } from './media-origin.fixture.ts';
import { mediaReference } from './media-reference.ts';
import type { MediaReference } from './media-reference.ts';

const RULES = loopbackRules();
const WAV = Buffer.from('RIFF\x28\0\0\0WAVEfmt ', 'latin1');

const origins: MediaOrigin[] = [];

afterEach(async () => {
  for (const origin of origins.splice(0)) await origin.close();
});

async function originOf(answer: RequestListener): Promise<MediaOrigin> {
  const origin = await MediaOrigin.start(answer);
  origins.push(origin);
  return origin;
}

/** The references of one message with these parts. */
async function referencesOf(parts: readonly object[]): Promise<MediaReference[]> {
  const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: parts }] }));
  return (await findMediaParts(JsonObject.of(body), 'chat')).map(mediaReference);
}

async function inline(parts: readonly object[], rules = RULES, signal = new AbortController().signal) {
  const inliner = new MediaInliner(new MediaDownloader());
  return inliner.inline(await referencesOf(parts), rules, signal);
}

function texts(replacements: readonly (MediaReplacement | undefined)[]): (string | undefined)[] {
  return replacements.map((found) => found && `${found.contentType} ${found.base64.toString('latin1')}`);
}

const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const audio = (data: string, format = 'wav'): object => ({ type: 'input_audio', input_audio: { data, format } });
const DATA_URI = 'data:image/png;base64,AAAA';
const BAD_DATA_URI = 'data:text/html;base64,AAAA';

describe('MediaInliner', () => {
  it('answers each reference in its place', async () => {
    const { url } = await originOf((request, response) => {
      serve(request.url === '/a.wav' ? WAV : PNG)(request, response);
    });
    const parts = [
      { type: 'audio_url', audio_url: { url: `${url}/a.wav` } },
      image(DATA_URI),
      audio('AAAA'),
      image(`${url}/b.png`),
    ];
    expect(texts(await inline(parts))).toEqual([
      `audio/wav ${WAV.toString('base64')}`,
      undefined,
      undefined,
      `image/png ${PNG.toString('base64')}`,
    ]);
  });

  it('has nothing to do without references', async () => {
    expect(await inline([])).toEqual([]);
  });

  it('fetches equal URLs once and shares what came', async () => {
    const { url, requests } = await originOf(serve(PNG));
    const [first, second, third] = await inline([image(`${url}/a`), image(`${url}/a`), image(`${url}/b`)]);
    expect(requests).toHaveLength(2);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('knows equal URLs by what they say, not by how they are escaped', async () => {
    const { url, requests } = await originOf(serve(PNG));
    const plain = JSON.stringify(image(`${url}/a/b`));
    const body = Buffer.from(`{"messages":[{"content":[${plain},${plain.replaceAll('/', '\\/')}]}]}`);
    const references = (await findMediaParts(JsonObject.of(body), 'chat')).map(mediaReference);
    const { signal } = new AbortController();
    const found = await new MediaInliner(new MediaDownloader()).inline(references, RULES, signal);
    expect(texts(found)).toEqual(Array(2).fill(`image/png ${PNG.toString('base64')}`));
    expect(requests).toHaveLength(1);
  });

  it('fetches a URL for each kind that it is used as', async () => {
    const { url, requests } = await originOf(serve(PNG));
    const parts = [image(url), { type: 'video_url', video_url: { url } }];
    await expect(inline(parts)).rejects.toMatchObject({ param: 'messages[0].content[1]' });
    expect(requests).toHaveLength(2);
  });

  it('counts parts before it does anything else, inline ones too', async () => {
    const origin = await originOf(serve(PNG));
    const { url } = origin;
    const rules = loopbackRules({ max_multimodal_entries: 2 });
    expect(await inline([image(url), image(DATA_URI)], rules)).toHaveLength(2);
    await expect(inline([image(url), image(BAD_DATA_URI), audio('', 'exe')], rules)).rejects.toMatchObject({
      code: 'too_many_media',
      status: 400,
      message: 'too many multimodal entries: got 3, the limit is 2',
    });
    expect(origin.connections).toBe(1);
  });

  it('checks inline audio, then data URIs, then downloads', async () => {
    const origin = await originOf(serve(PNG));
    await expect(inline([image(origin.url), image(BAD_DATA_URI), audio('AAAA', 'exe')])).rejects.toMatchObject({
      code: 'invalid_media',
      param: 'messages[0].content[2]',
    });
    await expect(inline([image('no url'), image(origin.url), image(BAD_DATA_URI)])).rejects.toMatchObject({
      code: 'invalid_media',
      param: 'messages[0].content[2]',
    });
    expect(origin.connections).toBe(0);
  });

  it('keeps to max_concurrent_downloads', async () => {
    let open = 0;
    let most = 0;
    const { url } = await originOf((request, response) => {
      most = Math.max(most, ++open);
      response.once('close', () => open--);
      void delay(20).then(() => {
        serve(PNG)(request, response);
      });
    });
    await inline(
      Array.from({ length: 7 }, (_, i) => image(`${url}/${i}`)),
      loopbackRules({ max_concurrent_downloads: 3 }),
    );
    expect(most).toBe(3);
  });

  it('names the first part that failed and cancels the other downloads', async () => {
    const hanging: ServerResponse[] = [];
    const { url, requests } = await originOf((request, response) => {
      if (request.url === '/bad') response.writeHead(404).end();
      else hanging.push(response);
    });
    const parts = [image(`${url}/1`), image(`${url}/2`), image(`${url}/bad`), image(`${url}/bad`), image(`${url}/3`)];
    await expect(inline(parts, loopbackRules({ max_concurrent_downloads: 3 }))).rejects.toMatchObject({
      code: 'media_fetch_failed',
      param: 'messages[0].content[2]',
    });
    expect(requests).toHaveLength(3);
    await Promise.all(
      hanging.map(async (response) => {
        if (!response.closed) await once(response, 'close');
      }),
    );
  });

  it("ends with the signal's reason when it aborts", async () => {
    const left = new AbortController();
    const { url } = await originOf(() => {
      left.abort(new Error('the client left'));
    });
    await expect(inline([image(`${url}/1`), image(`${url}/2`)], RULES, left.signal)).rejects.toThrow('the client left');
  });

  it('bounds what all downloads bring together', async () => {
    const { url } = await originOf(serve(Buffer.concat([PNG, Buffer.alloc(400 * 1024)])));
    const rules = loopbackRules({ max_total_download_size: 1 });
    const parts = ['/1', '/2', '/3'].map((path) => image(url + path));
    expect(await inline([...parts.slice(0, 2), ...parts.slice(0, 2)], rules)).toHaveLength(4);
    expect(await reasonOf(inline(parts, rules))).toBe('total_size');
  });

  it('refuses a text too long for a URL without decoding it', async () => {
    const attempt = inline([image(`http://img.example/${'\\'.repeat(1024 * 1024)}`)]);
    expect(await reasonOf(attempt)).toBe('url');
  });
});
