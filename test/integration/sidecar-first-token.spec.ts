import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { WatchedSidecar, aChat, refusing, streaming } from './watched-sidecar.fixture.ts';
import type { WatchedSetting } from './watched-sidecar.fixture.ts';

const later = cleanup();

async function watched(setting: WatchedSetting = {}): Promise<WatchedSidecar> {
  const sidecar = await WatchedSidecar.start(setting);
  later(() => sidecar.close());
  return sidecar;
}

describe('the time to the first token', () => {
  const count = 'time_to_first_token_seconds_count';

  it.each([
    { stages: [], type: 'decode-only' },
    { stages: ['prefill'], type: 'prefill-decode' },
  ] as const)('is that of the first event with output, once, of $type', async ({ stages, type }) => {
    const sidecar = await watched({ engine: streaming('a', 'b', 'c') });
    await sidecar.send({ body: aChat({ stream: true }), headers: sidecar.named(...stages) });
    expect(await sidecar.samples(count)).toEqual({ [`disagg_type="${type}"`]: 1 });
  });

  it('is not taken of a role alone, and is as soon as a text has come', async () => {
    const text = Promise.withResolvers<undefined>();
    const sidecar = await watched({
      engine: async (request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n');
        await text.promise;
        response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
        await request.aborted;
      },
    });
    const answer = await fetch(`${sidecar.url}/v1/completions`, { method: 'POST', body: '{}' });
    const reader = answer.body?.getReader();
    await reader?.read();
    expect(await sidecar.samples(count)).toEqual({});
    text.resolve(undefined);
    await reader?.read();
    expect(await sidecar.samples(count)).toEqual({ 'disagg_type="decode-only"': 1 });
    await reader?.cancel();
  });

  it('is taken once where decode was tried first and refused', async () => {
    let decodes = 0;
    const sidecar = await watched({
      flags: ['--kv-connector=shared-storage'],
      engine: (request, response) => {
        if (++decodes > 1) return streaming('a', 'b')(request, response);
        const refusal = { choices: [{ delta: { content: 'x' }, finish_reason: 'cache_threshold' }] };
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(refusal)}\n\n`);
      },
    });
    const body = aChat({ stream: true, cache_hit_threshold: 0.9 });
    await sidecar.send({ body, headers: sidecar.named('prefill') });
    expect([decodes, await sidecar.samples(count)]).toEqual([2, { 'disagg_type="prefill-decode"': 1 }]);
  });

  it('is taken of a stream that is made of several answers', async () => {
    const sidecar = await watched({
      flags: ['--decode-chunk-size=2'],
      engine: (_, response) => {
        const choices = [{ message: { content: 'x' }, finish_reason: 'length' }];
        response.end(JSON.stringify({ choices, usage: { completion_tokens: 2 } }));
      },
    });
    await sidecar.send({ body: aChat({ stream: true, max_tokens: 4 }) });
    expect(await sidecar.samples(count)).toEqual({ 'disagg_type="decode-only"': 1 });
  });

  it.each([
    { what: 'an answer in one piece', setting: {} },
    { what: 'a stream without output', setting: { engine: streaming() } },
    { what: 'a refusal', setting: { engine: refusing(400) } },
  ])('is none of $what', async ({ setting }) => {
    const sidecar = await watched(setting);
    await sidecar.send({ body: aChat({ stream: true }) });
    expect(await sidecar.samples(count)).toEqual({});
  });
});
