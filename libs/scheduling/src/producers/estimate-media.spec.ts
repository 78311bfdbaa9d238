import { describe, expect, it } from '@jest/globals';
import { estimateParams } from './estimate.params.ts';
import { mediaTokens } from './estimate-media.ts';

const NO_HEADERS = {};

function video(params: object, headers: Readonly<Record<string, string>> = NO_HEADERS): number {
  const parsed = estimateParams.parse({ video: params });
  return mediaTokens('video', Buffer.from('u'), new Map(Object.entries(headers)), parsed);
}

function image(params: object, url = 'https://example.com/a.png'): number {
  return mediaTokens('image', Buffer.from(url), new Map(), estimateParams.parse({ image: params }));
}

describe('mediaTokens of an image', () => {
  it.each([
    [{}, 225],
    [{ dynamic: { factor: 100 } }, 2304],
    [{ defaultResolution: { width: 1, height: 1 } }, 1],
    [{ mode: 'static', static: { staticToken: 7 } }, 7],
    [{ mode: 'static', static: { staticToken: 0 } }, 1],
  ])('with %j is %i', (params, tokens) => {
    expect(image(params)).toBe(tokens);
  });

  it('goes by the size of one that is in the request', () => {
    const gif = Buffer.from([...Buffer.from('GIF89a'), 0, 4, 0, 4]).toString('base64');
    expect(image({}, `data:image/gif;base64,${gif}`)).toBe(1024);
  });
});

describe('mediaTokens of a video', () => {
  it.each([
    ['by default', {}, NO_HEADERS, 4500],
    ['for its duration', {}, { 'x-llm-d-video-duration-seconds': '2.6' }, 5 * 225],
    ['for its resolution', {}, { 'x-llm-d-video-resolution': ' 1024 X 1024 ' }, 20 * 1024],
    ['with the most frames', { frames: { maxFrames: 3 } }, NO_HEADERS, 3 * 225],
    ['with the least frames', { frames: { minFrames: 30 } }, NO_HEADERS, 30 * 225],
    ['with frames that are merged', { frames: { maxFrames: 5, sampled: { temporalPatchSize: 2 } } }, NO_HEADERS, 450],
    ['with another rate', { frames: { sampled: { sampleFPS: 0.5 } } }, NO_HEADERS, 5 * 225],
    ['with a stride', { frames: { mode: 'strided', strided: { frameStride: 100 } } }, NO_HEADERS, 2 * 225],
    [
      'with a stride and the rate of its source',
      { frames: { mode: 'strided', strided: { frameStride: 100 } } },
      { 'x-llm-d-video-fps': '60' },
      6 * 225,
    ],
    [
      'with the same for each frame',
      { tokensPerFrame: { mode: 'static', static: { numTokensPerFrame: 3 } } },
      NO_HEADERS,
      60,
    ],
    ['up to a limit', { maxVideoTokens: 100 }, NO_HEADERS, 100],
    ['with no frame left', { frames: { sampled: { sampleFPS: 0.01 } } }, NO_HEADERS, 1],
  ])('%s', (_, params, headers, tokens) => {
    expect(video(params, headers)).toBe(tokens);
  });

  it.each([
    { 'x-llm-d-video-duration-seconds': 'long' },
    { 'x-llm-d-video-duration-seconds': '-1' },
    { 'x-llm-d-video-duration-seconds': '' },
    { 'x-llm-d-video-duration-seconds': 'Infinity' },
    { 'x-llm-d-video-resolution': '0x360' },
    { 'x-llm-d-video-resolution': 'large' },
  ])('does not heed %j', (headers) => {
    expect(video({}, headers)).toBe(4500);
  });
});

describe('mediaTokens of sound', () => {
  it.each([
    ['', 1],
    ['abcd', 1],
    ['abcde', 2],
  ])('in %j is %i', (content, tokens) => {
    expect(mediaTokens('audio', Buffer.from(content), new Map(), estimateParams.parse({}))).toBe(tokens);
  });
});

describe('estimateParams', () => {
  it.each([{ image: { mode: 'other' } }, { video: { frames: { mode: 'all' } } }, { video: { fps: 1 } }])(
    'refuses %j',
    (params) => {
      expect(estimateParams.safeParse(params).success).toBe(false);
    },
  );
});
