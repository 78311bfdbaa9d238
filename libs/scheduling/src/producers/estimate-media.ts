import type { MediaModality, RequestHeaders } from '../scheduling-request.ts';
import type { EstimateParams, ImageParams, VideoParams } from './estimate.params.ts';
import { imageSize } from './image-size.ts';
import type { Resolution } from './image-size.ts';

/** Tokens that an item stands for, 1 or more, by what is known without looking at where its URL leads. */
export function mediaTokens(
  modality: MediaModality,
  content: Buffer,
  headers: RequestHeaders,
  { image, video }: EstimateParams,
): number {
  const tokens =
    modality === 'image'
      ? imageTokens(content, image)
      : modality === 'video'
        ? videoTokens(headers, video)
        : Math.ceil(content.length / 4);
  return Math.max(1, tokens);
}

function imageTokens(url: Buffer, { mode, defaultResolution, dynamic, static: same }: ImageParams): number {
  return mode === 'static' ? same.staticToken : perPixels(imageSize(url) ?? defaultResolution, dynamic.factor);
}

function videoTokens(headers: RequestHeaders, params: VideoParams): number {
  const { tokensPerFrame: frame, maxVideoTokens: most } = params;
  const perFrame =
    frame.mode === 'static'
      ? frame.static.numTokensPerFrame
      : perPixels(resolutionOf(headers) ?? params.defaultResolution, frame.dynamic.factor);
  const tokens = frameCount(headers, params) * Math.max(1, perFrame);
  return most === 0 ? tokens : Math.min(tokens, most);
}

function frameCount(headers: RequestHeaders, { frames, defaultDuration }: VideoParams): number {
  const duration = numberOf(headers, 'x-llm-d-video-duration-seconds') ?? defaultDuration;
  const { sampled, strided } = frames;
  if (frames.mode === 'sampled') {
    const count = clamp(Math.floor(duration * sampled.sampleFPS), frames);
    return sampled.temporalPatchSize > 1 ? Math.floor(count / sampled.temporalPatchSize) : count;
  }
  const fps = numberOf(headers, 'x-llm-d-video-fps') ?? strided.defaultSourceFPS;
  return clamp(Math.floor(Math.floor(duration * fps) / strided.frameStride), frames);
}

/** Limits of 0 are none. */
function clamp(count: number, { minFrames, maxFrames }: VideoParams['frames']): number {
  const atLeast = Math.max(count, minFrames);
  return maxFrames === 0 ? atLeast : Math.min(atLeast, maxFrames);
}

function perPixels({ width, height }: Resolution, factor: number): number {
  return Math.max(1, Math.floor((width * height) / factor));
}

/** A positive number; what a client writes otherwise is ignored. */
function numberOf(headers: RequestHeaders, name: string): number | undefined {
  const text = headers.get(name)?.trim();
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** `640x360`, `640 X 360`. */
function resolutionOf(headers: RequestHeaders): Resolution | undefined {
  const found = /^\s*(\d{1,9})\s*[xX]\s*(\d{1,9})\s*$/.exec(headers.get('x-llm-d-video-resolution') ?? '');
  const [width, height] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
