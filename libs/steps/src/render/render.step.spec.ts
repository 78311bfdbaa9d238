import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UpstreamAnswerError, UpstreamError } from '#foundation';
import { joinRope } from '#json';
import type { PipelineRequest, StepFindings } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import type { Handler } from '#testing';
import { StepsBench } from '../steps.fixture.ts';
import { renderParams } from './render.params.ts';
import { RenderStep } from './render.step.ts';

const IMAGE = '{"type":"image_url","image_url":{"url":"data:,A"}}';
const WITH_IMAGE = `{"model":"m","messages":[{"role":"user","content":[${IMAGE}]}]}`;
const ONE_ENTRY = '"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":1,"length":2}]}}';

let render: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  render = await FakeUpstream.start((_, response) => {
    response.writeHead(599).end();
  });
  bench = await StepsBench.start('http://gateway.invalid');
});

afterEach(async () => {
  await bench.close();
  await render.close();
});

/** What the step finds when render answers so. */
async function find(request: PipelineRequest, answer: string | Handler, params: object = {}): Promise<StepFindings> {
  render.handler =
    typeof answer === 'string'
      ? (_, response) => {
          json(response, answer);
        }
      : answer;
  const parsed = renderParams.parse({ address: render.url, ...params });
  const outcome = await bench.get(RenderStep).execute(request, parsed);
  if (outcome.kind !== 'next') throw new Error('render never answers');
  return outcome.findings ?? {};
}

describe('RenderStep', () => {
  it.each(['chat', 'responses'] as const)('has a %s prompt tokenized', async (format) => {
    const { tokens, features, mediaParts, body } = await find(
      aRequest({ format }),
      '{"token_ids": [9, 14], "features": null}',
    );
    expect(tokens?.bytes.toString()).toBe('[9, 14]');
    expect([features, mediaParts, body]).toEqual([undefined, [], undefined]);
    expect(render.requests.map(({ path }) => path)).toEqual([
      format === 'chat' ? '/v1/chat/completions/render' : '/v1/responses/render',
    ]);
  });

  it('has a text prompt of completions tokenized, and puts the ids in its place', async () => {
    const request = aRequest({ format: 'completions', body: '{"a":1.0,"prompt":"hi","b":2}' });
    const { tokens, body } = await find(request, '[{"token_ids": [9,  14]}]');
    expect(tokens?.count).toBe(2);
    expect(body && joinRope(body.toRope()).toString()).toBe('{"a":1.0,"prompt":[9,  14],"b":2}');
    expect(render.requests.map(({ path }) => path)).toEqual(['/v1/completions/render']);
  });

  it.each([
    ['completions', '{"prompt":[9,14]}', 2],
    ['completions', '{"prompt":[]}', 0],
    ['generate', '{"token_ids":[9,14,3]}', 3],
  ] as const)('asks nobody about the ids of %s %s', async (format, body, count) => {
    const found = await find(aRequest({ format, body }), '[]');
    expect(found.tokens?.count).toBe(count);
    expect(found.body).toBeUndefined();
    expect(render.requests).toEqual([]);
  });

  it('finds features and media parts, each entry with its part', async () => {
    const found = await find(aRequest({ body: WITH_IMAGE }), `{"token_ids":[9,5,5],${ONE_ENTRY},"x":1}`);
    expect(found.features?.entries.map(({ hash }) => hash)).toEqual(['a']);
    expect(found.mediaParts?.map(({ param }) => param)).toEqual(['messages[0].content[0]']);
  });

  it('takes the media parts that an earlier step found', async () => {
    const mediaParts: StepFindings['mediaParts'] = [];
    expect((await find(aRequest({ findings: { mediaParts } }), '{"token_ids":[9]}')).mediaParts).toBe(mediaParts);
  });

  it('finds the features of a generate request in its body', async () => {
    const request = aRequest({ format: 'generate', body: `{"token_ids":[9,5,5],${ONE_ENTRY}}` });
    expect((await find(request, '')).features?.entries).toHaveLength(1);
  });

  it('finds headers to relay in the answer', async () => {
    const answer: Handler = (_, response) => {
      response.setHeader('X-LLM-D-Disagg-Revision', 'r1');
      json(response, '{"token_ids":[9]}');
    };
    expect((await find(aRequest(), answer)).relayedHeaders).toEqual({ 'x-llm-d-disagg-revision': 'r1' });
  });

  it.each([
    ['fewer entries than parts', WITH_IMAGE, '{"token_ids":[9]}'],
    ['more entries than parts', undefined, `{"token_ids":[9,5,5],${ONE_ENTRY}}`],
    ['entries of another modality', WITH_IMAGE, `{"token_ids":[9,5,5],${ONE_ENTRY.replaceAll('image', 'audio')}}`],
    ['hashes without placeholders', WITH_IMAGE, '{"token_ids":[9],"features":{"mm_hashes":{"image":["a"]}}}'],
    ['a placeholder outside the prompt', WITH_IMAGE, `{"token_ids":[9,5],${ONE_ENTRY}}`],
    [
      'kwargs_data that do not match',
      WITH_IMAGE,
      `{"token_ids":[9,5,5],${ONE_ENTRY.slice(0, -1)},"kwargs_data":{"image":[]}}}`,
    ],
    ['features that are a list', WITH_IMAGE, '{"token_ids":[9],"features":[]}'],
    ['no ids', undefined, '{"features":null}'],
    ['null for ids', undefined, '{"token_ids":null}'],
    ['a text for ids', undefined, '{"token_ids":"9"}'],
    ['a negative id', undefined, '{"token_ids":[9,-1]}'],
    ['a fractional id', undefined, '{"token_ids":[9.5]}'],
    ['a list', undefined, '[{"token_ids":[9]}]'],
    ['null', undefined, 'null'],
    ['a text', undefined, '"token_ids"'],
    ['half an object', undefined, '{"token_ids":[9],"features":{"mm_hashes":'],
    ['half a list of ids', undefined, '{"token_ids":[9,'],
    ['an event stream', undefined, 'data: {"token_ids":[9]}\n\n'],
    ['nothing', undefined, ''],
  ])('cannot use an answer of %s', async (_, body, answer) => {
    const request = aRequest(body === undefined ? {} : { body });
    await expect(find(request, answer)).rejects.toThrow(UpstreamAnswerError);
  });

  it.each([
    '{"token_ids":[9]}',
    '[]',
    '[{"token_ids":[9]},{"token_ids":[9]}]',
    '[[9]]',
    '[{}]',
    'null',
    '[{"token_ids":[9]}',
  ])('cannot use the answer %s for one prompt of completions', async (answer) => {
    await expect(find(aRequest({ format: 'completions' }), answer)).rejects.toThrow(UpstreamAnswerError);
  });

  it.each([
    [400, 400],
    [422, 422],
    [429, 429],
    [500, 502],
    [503, 503],
    [201, 502],
    [302, 502],
  ])('fails with its own words when render answers %d, as %d', async (status, ours) => {
    const answer: Handler = (_, response) => {
      json(response.setHeader('retry-after', '7'), '{"error":{"message":"SECRET"}}', status);
    };
    const failure = await find(aRequest(), answer).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({
      step: 'render',
      upstreamStatus: status,
      status: ours,
      relayed: { 'retry-after': '7' },
    });
    expect((failure as UpstreamError).message).not.toContain('SECRET'); // an instance of it, says the line above
  });

  it.each([
    ['chat', undefined, '{"token_ids":[1,2,3]}'],
    ['responses', undefined, '{"token_ids":[1,2,3]}'],
    ['completions', undefined, '[{"token_ids":[1,2,3]}]'],
    ['completions', '{"prompt":[1,2,3]}', ''],
    ['generate', undefined, ''],
  ] as const)('counts the tokens of %s %s against the limit', async (format, body, answer) => {
    const request = aRequest(body === undefined ? { format } : { format, body });
    await expect(find(request, answer, { max_total_tokens: 3 })).resolves.toBeDefined();
    await expect(find(request, answer, { max_total_tokens: 2 })).rejects.toMatchObject({ code: 'too_many_tokens' });
  });

  it('counts placeholders against their own limit', async () => {
    const answer = `{"token_ids":[9,5,5],${ONE_ENTRY}}`;
    await expect(
      find(aRequest({ body: WITH_IMAGE }), answer, { max_total_placeholder_tokens: 1 }),
    ).rejects.toMatchObject({
      code: 'too_many_tokens',
    });
  });
});
