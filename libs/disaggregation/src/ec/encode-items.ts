import { Pacer } from '#foundation';
import type { JsonObject, JsonValue } from '#json';
import { findMediaParts } from '#protocol';

/** Up to so many bytes a URL is looked up by its text; a longer one, which holds the media itself, is compared with those as long. */
const SHORT = 64 * 1024;

/**
 * The media parts of `messages`, in their order, those of one URL once (`sidecar.md` 5.2). Sound that came in the request has no
 * URL, and so is an item each time.
 * @throws BadRequestError too_many_media
 */
export async function encodeItems(body: JsonObject): Promise<readonly JsonValue[]> {
  const seen = new SeenUrls();
  const items: JsonValue[] = [];
  const pacer = new Pacer();
  for (const { type, value } of await findMediaParts(body, 'chat')) {
    if (pacer.isDue()) await pacer.rest();
    const url = urlOf(type, value);
    if (url === undefined || seen.isNew(url)) items.push(value);
  }
  return items;
}

/** The string that tells one item of a type from another; undefined for an item without a URL. */
export function urlOf(type: string, part: JsonValue): JsonValue | undefined {
  const url = type === 'input_image' ? part.member('image_url') : part.member(type)?.member('url');
  return url?.kind === 'string' ? url : undefined;
}

class SeenUrls {
  private readonly short = new Set<string | undefined>();
  private readonly long = new Map<number, Buffer[]>();

  isNew(url: JsonValue): boolean {
    return url.end - url.start <= SHORT ? this.isNewShort(url.string) : this.isNewLong(url.bytes);
  }

  private isNewShort(url: string | undefined): boolean {
    if (this.short.has(url)) return false;
    this.short.add(url);
    return true;
  }

  private isNewLong(url: Buffer): boolean {
    const alike = this.long.get(url.length) ?? [];
    if (alike.some((other) => other.equals(url))) return false;
    alike.push(url);
    this.long.set(url.length, alike);
    return true;
  }
}
