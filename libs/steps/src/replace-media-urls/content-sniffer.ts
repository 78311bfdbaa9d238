import type { Modality } from '#protocol';
import { sniffIsoMedia, sniffMatroska, sniffOgg } from './container-sniffer.ts';
import { accepts, isMediaType, normalizeMediaType, UNKNOWN_TYPE } from './media-types.ts';
import type { MediaTypes } from './media-types.ts';
import { SIGNATURES } from './media-signatures.ts';
import type { Signature } from './media-signatures.ts';
import { isAacFrame, isMpegAudioFrame, isTransportStream } from './mpeg-frames.ts';

/** Bytes at the start of the content that are looked at. */
const SNIFFED_BYTES = 1024;

/**
 * The type that downloaded content is passed on under, or undefined when it is refused. The content decides; the header counts only
 * where the content does not tell, and then it must be on the list.
 * @param header the answer's `content-type`
 * @see decisions.md M5
 */
export function acceptedType(
  content: Buffer,
  header: string | undefined,
  modality: Modality,
  allowed: MediaTypes,
): string | undefined {
  const types = sniff(content, modality) ?? [declaredType(header)];
  return types.find((type) => accepts(allowed, type));
}

/**
 * The media types that content goes by, the usual one first; undefined when it does not tell.
 * @param modality decides between sound and pictures where a container holds either
 */
export function sniff(content: Buffer, modality: Modality): readonly string[] | undefined {
  const start = content.subarray(0, SNIFFED_BYTES);
  return (
    SIGNATURES.find((signature) => matches(start, signature))?.types ??
    sniffIsoMedia(start, modality) ??
    sniffMatroska(start, modality) ??
    sniffOgg(start, modality) ??
    sniffFrames(start, content) ??
    sniffMarkup(start)
  );
}

function declaredType(header: string | undefined): string {
  const declared = normalizeMediaType(header ?? '');
  return isMediaType(declared) ? declared : UNKNOWN_TYPE;
}

function matches(start: Buffer, { magic, also }: Signature): boolean {
  return hasAt(start, 0, magic) && (also === undefined || hasAt(start, also.at, also.magic));
}

function hasAt(start: Buffer, at: number, magic: string): boolean {
  return start.length >= at + magic.length && start.toString('latin1', at, at + magic.length) === magic;
}

function sniffFrames(start: Buffer, content: Buffer): readonly string[] | undefined {
  if (isMpegAudioFrame(content)) return ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpeg3'];
  if (isAacFrame(start)) return ['audio/aac', 'audio/x-aac', 'audio/aacp'];
  return isTransportStream(start) ? ['video/mpeg', 'video/mp2t'] : undefined;
}

/** What begins with a tag, a comment or a declaration; the pages that origins answer with instead of media. */
function sniffMarkup(start: Buffer): readonly string[] | undefined {
  const text = start.toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/, '');
  if (/^<svg[\s>]/i.test(text) || /^<!doctype\s+svg/i.test(text)) return ['image/svg+xml'];
  if (/^<\?xml\s/i.test(text)) return ['text/xml', 'application/xml', 'image/svg+xml'];
  return /^<(?:!doctype|!--|[a-z][a-z0-9]*[\s/>])/i.test(text) ? ['text/html', 'application/xhtml+xml'] : undefined;
}
