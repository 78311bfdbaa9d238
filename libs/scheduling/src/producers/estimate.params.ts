import { z } from 'zod';

const positive = (): z.ZodInt => z.int().positive();
const resolution = z
  .strictObject({ width: positive(), height: positive() })
  .prefault({ width: 640, height: 360 })
  .describe('Pixels, where an item does not tell its own.');

const imageParams = z.strictObject({
  mode: z.enum(['dynamic', 'static']).default('dynamic').describe('By the pixels of an image, or the same for each.'),
  defaultResolution: resolution,
  dynamic: z.strictObject({ factor: positive().default(1024).describe('Pixels of a token.') }).prefault({}),
  static: z.strictObject({ staticToken: z.int().default(1).describe('Tokens of an image.') }).prefault({}),
});

const framesParams = z.strictObject({
  mode: z.enum(['sampled', 'strided']).default('sampled').describe('So many frames a second, or each so manieth one.'),
  minFrames: z.int().min(0).default(0).describe('0: no limit.'),
  maxFrames: z.int().min(0).default(0).describe('0: no limit.'),
  sampled: z
    .strictObject({
      sampleFPS: z.number().positive().default(2),
      temporalPatchSize: z.int().min(0).default(0).describe('Frames that count as one; below 2: each counts.'),
    })
    .prefault({}),
  strided: z
    .strictObject({
      defaultSourceFPS: z.number().positive().default(24).describe('Where the request does not tell.'),
      frameStride: positive().default(1),
    })
    .prefault({}),
});

const tokensPerFrameParams = z.strictObject({
  mode: z.enum(['dynamic', 'static']).default('dynamic').describe('By the pixels of a frame, or the same for each.'),
  dynamic: z.strictObject({ factor: positive().default(1024).describe('Pixels of a token.') }).prefault({}),
  static: z.strictObject({ numTokensPerFrame: z.int().default(1) }).prefault({}),
});

const videoParams = z.strictObject({
  defaultResolution: resolution,
  defaultDuration: z.number().positive().default(10).describe('Seconds, where the request does not tell.'),
  frames: framesParams.prefault({}),
  tokensPerFrame: tokensPerFrameParams.prefault({}),
  maxVideoTokens: z.int().min(0).default(0).describe('0: no limit.'),
});

/** How the tokens of images and videos are estimated (`epp.md` 5.2). */
export const estimateParams = z.strictObject({ image: imageParams.prefault({}), video: videoParams.prefault({}) });

export type EstimateParams = z.output<typeof estimateParams>;
export type ImageParams = EstimateParams['image'];
export type VideoParams = EstimateParams['video'];
