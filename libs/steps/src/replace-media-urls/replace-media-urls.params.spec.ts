import { describe, expect, it } from '@jest/globals';
import { mediaRules } from './media-rules.ts';
import { replaceMediaUrlsParams } from './replace-media-urls.params.ts';

const MIB = 1024 * 1024;

describe('replaceMediaUrlsParams', () => {
  it("has upstream's defaults, and closed ones for what upstream has not", () => {
    expect(replaceMediaUrlsParams.parse({})).toEqual({
      download_timeout: 10_000,
      max_concurrent_downloads: 10,
      max_multimodal_entries: 0,
      max_download_size: 10,
      max_total_download_size: 0,
      allow_private_networks: false,
      allowed_networks: [],
      allowed_domains: [],
      trust_proxy_env: false,
    });
  });

  it.each(Object.entries(replaceMediaUrlsParams.shape))('describes %s', (_, field) => {
    expect(field.description).toMatch(/\.$/);
  });

  it.each([
    ['an unknown key', { max_paralel: 1 }],
    ['a timeout without unit', { download_timeout: 30 }],
    ['no time at all', { download_timeout: '0s' }],
    ['no downloads at once', { max_concurrent_downloads: 0 }],
    ['a negative number of entries', { max_multimodal_entries: -1 }],
    ['a size of zero', { max_download_size: 0 }],
    ['an image size of zero', { max_image_download_size: 0 }],
    ['a size in fractions', { max_audio_download_size: 1.5 }],
    ['a size as text', { max_video_download_size: '10' }],
    ['a size whose bytes are no safe integer', { max_download_size: 2 ** 40 }],
    ['a negative total', { max_total_download_size: -1 }],
    ['a number as switch', { allow_private_networks: 1 }],
    ['domains that are no list', { allowed_domains: 'img.example' }],
    ['a domain that is a number', { allowed_domains: [1] }],
    ['a domain with a wildcard', { allowed_domains: ['*.example'] }],
    ['a network that is an address', { allowed_networks: ['10.0.0.1'] }],
    ['null for types', { allowed_image_content_types: null }],
    ['types that are no list', { allowed_image_content_types: 'image/png' }],
    ['a type that normalises to nothing', { allowed_audio_content_types: [' ;x'] }],
    ['a wildcard type', { allowed_video_content_types: ['video/*'] }],
  ])('refuses %s', (_, params) => {
    expect(replaceMediaUrlsParams.safeParse(params).success).toBe(false);
  });

  it('accepts sizes written as whole floats', () => {
    expect(replaceMediaUrlsParams.parse({ max_download_size: 64.0 }).max_download_size).toBe(64);
  });
});

describe('mediaRules', () => {
  const rules = (params: object): ReturnType<typeof mediaRules> => mediaRules(replaceMediaUrlsParams.parse(params));

  it('gives every kind the common size in bytes', () => {
    const { image, audio, video } = rules({ max_download_size: 3 });
    expect([image.maxBytes, audio.maxBytes, video.maxBytes]).toEqual([3 * MIB, 3 * MIB, 3 * MIB]);
  });

  it('lets a kind have its own size', () => {
    const { image, audio, video } = rules({ max_video_download_size: 200, max_audio_download_size: 60 });
    expect([image.maxBytes, audio.maxBytes, video.maxBytes]).toEqual([10 * MIB, 60 * MIB, 200 * MIB]);
  });

  it('measures inline audio and video always, inline images only when their size is set', () => {
    expect(rules({}).image.maxInlineBytes).toBeUndefined();
    expect(rules({}).audio.maxInlineBytes).toBe(10 * MIB);
    expect(rules({}).video.maxInlineBytes).toBe(10 * MIB);
    expect(rules({ max_image_download_size: 10 }).image.maxInlineBytes).toBe(10 * MIB);
  });

  it('replaces the list of one kind with normalised entries', () => {
    const { image, audio } = rules({ allowed_image_content_types: [' Image/BMP; q=1', 'image/png'] });
    expect([...image.types]).toEqual(['image/bmp', 'image/png']);
    expect(audio.types.has('audio/wav')).toBe(true);
  });

  it('keeps an empty list, which accepts any type', () => {
    expect(rules({ allowed_audio_content_types: [] }).audio.types.size).toBe(0);
  });

  it('reads 0 as no limit of entries and of the total', () => {
    expect(rules({})).toMatchObject({ maxEntries: Infinity, maxTotalBytes: Infinity });
    expect(rules({ max_multimodal_entries: 2, max_total_download_size: 5 })).toMatchObject({
      maxEntries: 2,
      maxTotalBytes: 5 * MIB,
    });
  });

  it('is worked out once for the same parameters', () => {
    const params = replaceMediaUrlsParams.parse({});
    expect(mediaRules(params)).toBe(mediaRules(params));
  });
});
