import { BadRequestError, mapLimit, Pacer } from '#foundation';
import { encodeBase64 } from './base64-text.ts';
import { ByteBudget } from './byte-budget.ts';
import { checkDataUri, isDataUri } from './data-uri.ts';
import { checkInputAudio } from './input-audio.ts';
import { decodeJsonText } from './json-text.ts';
import type { JsonText } from './json-text.ts';
import type { MediaDownloader, MediaSource } from './media-downloader.ts';
import type { MediaReference, UrlReference } from './media-reference.ts';
import type { MediaRules } from './media-rules.ts';
import { MAX_URL_LENGTH } from './media-url.ts';

/** What takes the place of a URL: `data:<contentType>;base64,<base64>`. */
export interface MediaReplacement {
  readonly contentType: string;
  /** Bytes of the base64 text; parts with equal URLs share them. */
  readonly base64: Buffer;
}

/** Turns the media references of a request into media that stand in it. */
export class MediaInliner {
  constructor(private readonly downloader: MediaDownloader) {}

  /**
   * Checks what came inline, then downloads the rest, equal URLs once. The first download that fails cancels the others.
   * @param references in prompt order
   * @returns for each reference its replacement, or undefined where it stays as it is
   * @throws BadRequestError too_many_media, invalid_media, media_fetch_failed
   * @throws the signal's reason when it aborts
   * @see coordinator.md C.2, "Order of checks"
   */
  async inline(
    references: readonly MediaReference[],
    rules: MediaRules,
    signal: AbortSignal,
  ): Promise<readonly (MediaReplacement | undefined)[]> {
    if (references.length > rules.maxEntries) {
      const message = `too many multimodal entries: got ${references.length}, the limit is ${rules.maxEntries}`;
      throw new BadRequestError('too_many_media', message);
    }
    await checkInlineAudio(references, rules);
    const remote = await checkDataUris(references, rules);
    const sources = distinct(remote.values());
    const budget = new ByteBudget(rules.maxTotalBytes);
    const fetched = await mapLimit([...sources], rules.maxConcurrent, signal, async ([key, source], _, siblings) => {
      return [key, await this.replacement(source, rules, siblings, budget)] as const;
    });
    const replacements = new Map(fetched);
    return references.map((reference) => {
      const source = remote.get(reference);
      return source === undefined ? undefined : replacements.get(keyOf(source));
    });
  }

  private async replacement(
    source: MediaSource,
    rules: MediaRules,
    signal: AbortSignal,
    budget: ByteBudget,
  ): Promise<MediaReplacement> {
    const { bytes, contentType } = await this.downloader.download(source, rules, signal, budget);
    const base64 = await encodeBase64(bytes);
    signal.throwIfAborted();
    return { contentType, base64 };
  }
}

async function checkInlineAudio(references: readonly MediaReference[], rules: MediaRules): Promise<void> {
  for (const reference of references) {
    if (reference.kind === 'input_audio') await checkInputAudio(reference.audio, rules.audio, reference.param);
  }
}

/** Checks the `data:` URIs; what else there is, is to be downloaded. */
async function checkDataUris(
  references: readonly MediaReference[],
  rules: MediaRules,
): Promise<ReadonlyMap<MediaReference, MediaSource>> {
  const remote = new Map<MediaReference, MediaSource>();
  const pacer = new Pacer();
  for (const reference of references) {
    if (pacer.isDue()) await pacer.rest();
    if (reference.kind !== 'url') continue;
    const { modality, url, param } = reference;
    if (isDataUri(url)) await checkDataUri(url, modality, rules[modality], param);
    else remote.set(reference, sourceOf(reference));
  }
  return remote;
}

function sourceOf({ modality, index, param, url }: UrlReference): MediaSource {
  return { modality, index, param, url: urlText(url) };
}

/** A text too long for a URL is not decoded; its beginning is too long as well, and is refused for that. */
function urlText(url: JsonText): string {
  const isTooLong = url.bytes.length > MAX_URL_LENGTH;
  return isTooLong ? url.bytes.toString('latin1', 0, MAX_URL_LENGTH + 1) : decodeJsonText(url);
}

/** By what they have in common; the first part of equal ones is the one a failure names. */
function distinct(sources: Iterable<MediaSource>): ReadonlyMap<string, MediaSource> {
  const first = new Map<string, MediaSource>();
  for (const source of sources) if (!first.has(keyOf(source))) first.set(keyOf(source), source);
  return first;
}

/** Equal URLs are one download, but for parts of another kind: those have another cap and other types. */
function keyOf({ modality, url }: MediaSource): string {
  return `${modality} ${url}`;
}
