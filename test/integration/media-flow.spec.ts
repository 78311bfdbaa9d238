import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeUpstream, aRequest, json } from '#testing';
import { PipelineBench, answering, missOr, phaseOf } from './pipeline.fixture.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n then pixels', 'latin1');
const PNG_URI = `data:image/png;base64,${PNG.toString('base64')}`;

const image = (url: string, more = ''): string => `{"type":"image_url","image_url":{"url":"${url}"}${more}}`;
const chat = (...parts: readonly string[]): string => `{"messages":[{"role":"user","content":[${parts.join(',')}]}]}`;
const span = (offset: number): object => ({ offset, length: 1 });

let bench: PipelineBench | undefined;
let origin: FakeUpstream;

beforeAll(async () => {
  origin = await FakeUpstream.start((_, response) => {
    response.end(PNG);
  });
});

afterEach(async () => {
  await bench?.close();
});

afterAll(async () => {
  await origin.close();
});

interface Run {
  readonly body: string;
  readonly rendered: unknown;
  readonly pipeline?: object;
  readonly format?: 'chat' | 'generate';
}

async function run({ body, rendered, pipeline = {}, format = 'chat' }: Run): Promise<PipelineBench> {
  const params = { 'replace-media-urls': { allowed_networks: ['127.0.0.0/8'] } };
  bench = await PipelineBench.start({ pipeline, params });
  bench.render.handler = answering(typeof rendered === 'string' ? rendered : JSON.stringify(rendered));
  await bench.run(aRequest({ format, body }));
  return bench;
}

describe('media on their way through the pipeline', () => {
  it('are fetched once, rendered, encoded and named in the order of the prompt', async () => {
    const parts = ['1', '2', '1'].map((name) => image(`${origin.url}/${name}.png`));
    const rendered = {
      token_ids: [9, 5, 6, 5],
      features: { mm_hashes: { image: ['a', 'b', 'a'] }, mm_placeholders: { image: [span(1), span(2), span(3)] } },
    };
    const started = await run({ body: chat(...parts), rendered });
    expect(origin.requests.map(({ path }) => path).sort()).toEqual(['/1.png', '/2.png']);
    expect(started.render.requests.map(({ body }) => body.toString())).toEqual([
      chat(...parts.map(() => image(PNG_URI))),
    ]);
    expect(started.bodies('encode')).toHaveLength(2);
    expect(started.bodies('decode')[0]).toContain(
      chat(...['a', 'b', 'a'].map((hash) => image(PNG_URI, `,"uuid":"${hash}"`))).slice(0, -1),
    );
  });

  it('keep order, count and kind, whatever they are', async () => {
    const text = '{"type":"text","text":"t"}';
    const audio = '{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}';
    const video = '{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AAAA"}}';
    const picture = image('data:image/png;base64,AAAA');
    const rendered = {
      token_ids: [9, 1, 2, 3, 4],
      features: {
        mm_hashes: { image: ['i0', 'i1'], audio: ['a0'], video: ['v0'] },
        mm_placeholders: { image: [span(2), span(4)], audio: [span(3)], video: [span(1)] },
      },
    };
    const started = await run({ body: chat(text, video, picture, audio, text, picture), rendered });
    const named = (part: string, hash: string): string => `${part.slice(0, -1)},"uuid":"${hash}"}`;
    expect(started.bodies('decode')[0]).toContain(
      chat(text, named(video, 'v0'), named(picture, 'i0'), named(audio, 'a0'), text, named(picture, 'i1')).slice(0, -1),
    );
    const encoded = started.bodies('encode').map((body) => /"mm_hashes":(\{.*?\})/.exec(body)?.[1]);
    expect(encoded.sort()).toEqual(['{"audio":["a0"]}', '{"image":["i0"]}', '{"image":["i1"]}', '{"video":["v0"]}']);
  });

  it.each([true, false])('have every key of their placeholders on every leg (OpenAI format: %s)', async (format) => {
    const more = '"is_embed": [true, false, true], "x_future": {"a": 1.0}';
    const rendered =
      `{"token_ids":[9,9,9,9,5,5,5,5],"features":{"mm_hashes":{"image":["a"]},` +
      `"mm_placeholders":{"image":[{"offset": 4, "length": 3, ${more}}]},"kwargs_data":{"image":["AA=="]}}}`;
    const body = chat(image('data:image/png;base64,AAAA'));
    const started = await run({ body, rendered, pipeline: { use_openai_format: format } });
    for (const phase of ['probe', 'encode', 'prefill', 'decode']) {
      expect(started.bodies(phase)[0]).toContain(more);
    }
  });

  it('are not encoded apart for a client that sent them as tokens', async () => {
    const features = {
      mm_hashes: { image: ['a'] },
      mm_placeholders: { image: [span(1)] },
      kwargs_data: { image: ['AA=='] },
    };
    const body = JSON.stringify({ model: 'm', token_ids: [9, 5], features });
    const pipeline = { ec_connector: 'ec-nixl' };
    const started = await run({ body, rendered: 'not to be asked', format: 'generate', pipeline });
    expect(started.phases).toEqual(['probe', 'prefill', 'decode']);
    expect(started.bodies('prefill')[0]).toContain(`"features":${JSON.stringify(features)}`);
  });

  it('are described to prefill as the encoders did', async () => {
    const hashes = ['a', 'b', 'c'];
    bench = await PipelineBench.start({ pipeline: { ec_connector: 'ec-nixl' } });
    bench.render.handler = answering(
      JSON.stringify({
        token_ids: [9, 1, 2, 3],
        features: { mm_hashes: { image: hashes }, mm_placeholders: { image: [span(1), span(2), span(3)] } },
      }),
    );
    bench.gateway.handler = (request, response) => {
      if (phaseOf(request) !== 'encode') return missOr('{}')(request, response);
      const hash = hashes.find((each) => request.body.includes(`["${each}"]`));
      // one of the encoders has nothing to tell
      json(response, hash === 'b' ? '{}' : `{"ec_transfer_params":{"${hash}":{"size_bytes": 9223372036854775807}}}`);
    };
    await bench.run(aRequest({ body: chat(...hashes.map(() => image('data:image/png;base64,AAAA'))) }));
    expect(bench.bodies('prefill')[0]).toContain(
      '"ec_transfer_params":{"a":{"size_bytes": 9223372036854775807},"c":{"size_bytes": 9223372036854775807}}',
    );
    expect(bench.bodies('decode')[0]).not.toContain('ec_transfer_params');
  });
});
