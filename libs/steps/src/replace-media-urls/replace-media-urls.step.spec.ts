import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BadRequestError, ClientClosedError } from '#foundation';
import { joinRope } from '#json';
import type { PipelineRequest, StepFindings } from '#pipeline';
import { FakeUpstream, aRequest } from '#testing';
import { StepsBench } from '../steps.fixture.ts';
import { PNG } from './media-origin.fixture.ts';
import { replaceMediaUrlsParams } from './replace-media-urls.params.ts';
import { ReplaceMediaUrlsStep } from './replace-media-urls.step.ts';

const WAV = Buffer.from('RIFF\x28\0\0\0WAVEfmt ', 'latin1');
const PNG_URI = `data:image/png;base64,${PNG.toString('base64')}`;
const WAV_URI = `data:audio/wav;base64,${WAV.toString('base64')}`;
const KEPT = 'data:image/gif;base64,AAAA';

let origin: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  origin = await FakeUpstream.start(({ path }, response) => {
    if (path.startsWith('/404')) response.writeHead(404).end('SECRET');
    else response.end(path.endsWith('.wav') ? WAV : PNG);
  });
  bench = await StepsBench.start('http://gateway.invalid');
});

afterEach(async () => {
  await bench.close();
  await origin.close();
});

async function replace(request: PipelineRequest, params: object = {}): Promise<StepFindings> {
  const parsed = replaceMediaUrlsParams.parse({ allowed_networks: ['127.0.0.0/8'], ...params });
  const outcome = await bench.get(ReplaceMediaUrlsStep).execute(request, parsed);
  if (outcome.kind !== 'next') throw new Error('the step never answers');
  return outcome.findings ?? {};
}

/** The body that a chat request has after the step; `ORIGIN` in it is the media origin. */
async function replaced(
  body: string,
  format: PipelineRequest['format'] = 'chat',
  params: object = {},
): Promise<string | undefined> {
  const found = await replace(aRequest({ format, body: body.replaceAll('ORIGIN', origin.url) }), params);
  return found.body && joinRope(found.body.toRope()).toString();
}

const chat = (...parts: readonly string[]): string =>
  `{ "seed" : 9007199254740993,"messages":[{"role":"user","content":[${parts.join(' , ')}]}], "z":1.0,"a":1 }`;
const image = (url: string, more = ''): string => `{"type":"image_url","image_url":{"url":"${url}"${more}}}`;
const TEXT = '{"type":"text","text":"ORIGIN/a.png"}';

describe('ReplaceMediaUrlsStep', () => {
  it('puts what a URL leads to in its place, and changes nothing else', async () => {
    const body = (a: string, wav: string, b: string): string =>
      chat(
        TEXT,
        image(a, ',"detail" : "low"'),
        `{"audio_url":{"x":1,"url" :"${wav}"},"type":"audio_url"}`,
        image(KEPT),
        image(b),
      );
    expect(await replaced(body('ORIGIN/a.png', 'ORIGIN/a.wav', 'ORIGIN/b.png'))).toBe(
      body(PNG_URI, WAV_URI, PNG_URI).replaceAll('ORIGIN', origin.url),
    );
  });

  it('finds the URLs of responses in content and output', async () => {
    const part = (url: string): string => `{"type":"input_image","image_url":"${url}","detail":"auto"}`;
    const body = (url: string): string =>
      `{"input":[{"role":"user","content":[${part(url)}]},{"type":"function_call_output","output":[${part(url)}]}]}`;
    expect(await replaced(body('ORIGIN/a.png'), 'responses')).toBe(body(PNG_URI));
  });

  it('reads a URL through its escapes', async () => {
    expect(await replaced(chat(image('ORIGIN\\/a\\u002epng')))).toBe(chat(image(PNG_URI)));
    expect(origin.requests.map(({ path }) => path)).toEqual(['/a.png']);
  });

  it('fetches equal URLs once', async () => {
    const parts = (a: string, b: string): string => chat(image(a), image(b), image(a), image(a));
    expect(await replaced(parts('ORIGIN/a.png', 'ORIGIN/b.png'))).toBe(parts(PNG_URI, PNG_URI));
    expect(origin.requests.map(({ path }) => path).sort()).toEqual(['/a.png', '/b.png']);
  });

  it('finds the parts, for the steps behind it', async () => {
    const request = aRequest({ body: chat(image(KEPT), TEXT, image(`${origin.url}/a.png`)) });
    const { mediaParts } = await replace(request);
    expect(mediaParts?.map(({ param }) => param)).toEqual(['messages[0].content[0]', 'messages[0].content[2]']);
  });

  it.each([
    ['chat without media', 'chat', chat(TEXT)],
    ['chat without messages', 'chat', '{"model":"m"}'],
    ['a responses input of text', 'responses', '{"input":"ORIGIN/a.png"}'],
    ['completions', 'completions', '{"prompt":"ORIGIN/a.png"}'],
    ['generate', 'generate', '{"token_ids":[1],"image_url":{"url":"ORIGIN/a.png"}}'],
  ] as const)('has nothing to do for %s', async (_, format, body) => {
    const found = await replace(aRequest({ format, body: body.replaceAll('ORIGIN', origin.url) }));
    expect(found).toEqual({ mediaParts: [] });
    expect(origin.requests).toEqual([]);
  });

  it('fetches nothing for media that stand in the request', async () => {
    const body = chat(image(KEPT), '{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}');
    expect(await replaced(body)).toBe(body);
    expect(origin.requests).toEqual([]);
  });

  it.each([
    ['a URL that is no string', '{"type":"image_url","image_url":{"url":1}}', 'invalid_media'],
    ['a URL in the place of its object', '{"type":"image_url","image_url":"ORIGIN/b.png"}', 'invalid_media'],
    ['no URL', '{"type":"video_url"}', 'invalid_media'],
    ['an empty URL', image(''), 'invalid_media'],
    ['sound without data', '{"type":"input_audio","input_audio":{"format":"wav"}}', 'invalid_media'],
    ['a data URI that is none', image('data:image/png,AAAA'), 'invalid_media'],
    ['a URL that nothing is at', image('ORIGIN/404.png'), 'media_fetch_failed'],
    ['a scheme that is not fetched', image('ftp://a/b.png'), 'media_fetch_failed'],
  ])('refuses a request with %s, naming the part', async (_, part, code) => {
    const failure = await replaced(chat(image('ORIGIN/a.png'), TEXT, part)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure).toMatchObject({ code, status: 400, param: 'messages[0].content[2]' });
  });

  it('does not connect where it may not', async () => {
    const refused = replaced(chat(image('ORIGIN/a.png')), 'chat', { allowed_networks: [] });
    await expect(refused).rejects.toMatchObject({ code: 'media_fetch_failed', param: 'messages[0].content[0]' });
    expect(origin.connections).toBe(0);
  });

  it('counts the parts before it fetches any', async () => {
    const params = { max_multimodal_entries: 1 };
    await expect(replaced(chat(image('ORIGIN/a.png'), image(KEPT)), 'chat', params)).rejects.toMatchObject({
      code: 'too_many_media',
    });
    expect(origin.requests).toEqual([]);
  });

  it('leaves off when the client leaves', async () => {
    origin.handler = () => undefined;
    const client = new AbortController();
    const body = chat(image(`${origin.url}/a.png`));
    const replacing = replace(aRequest({ body, scope: { signal: client.signal } }));
    await origin.received(1);
    client.abort(new ClientClosedError());
    await expect(replacing).rejects.toThrow(ClientClosedError);
    expect(await origin.requests[0]?.aborted).toBe(true);
  });
});
