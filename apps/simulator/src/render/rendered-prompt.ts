import type { MediaItem, Modality } from './media-item.ts';
import { SPECIAL, tokenize } from './tokenizer.ts';

/** A media item at its place in the prompt. */
export interface PlacedItem extends MediaItem {
  /** 0-based index of its first placeholder token. */
  readonly offset: number;
}

export interface RenderedPrompt {
  readonly tokenIds: readonly number[];
  readonly items: readonly PlacedItem[];
}

/** Hashes and placeholders by modality, in order of appearance, as `tokens.features` has them. */
export interface Features {
  readonly mm_hashes: Readonly<Partial<Record<Modality, readonly string[]>>>;
  readonly mm_placeholders: Readonly<Partial<Record<Modality, readonly { offset: number; length: number }[]>>>;
}

/** Undefined without items: a text prompt has no `features`. */
export function featuresOf(items: readonly PlacedItem[]): Features | undefined {
  if (items.length === 0) return undefined;
  const byModality = Map.groupBy(items, (item) => item.modality);
  const map = <T>(of: (item: PlacedItem) => T): Partial<Record<Modality, T[]>> =>
    Object.fromEntries([...byModality].map(([modality, placed]) => [modality, placed.map(of)]));
  return {
    mm_hashes: map((item) => item.hash),
    mm_placeholders: map(({ offset, length }) => ({ offset, length })),
  };
}

/** Gathers a prompt piece by piece; begins with the BOS token. */
export class PromptBuilder {
  private readonly tokenIds: number[] = [SPECIAL.bos];
  private readonly items: PlacedItem[] = [];

  text(text: string): this {
    for (const id of tokenize(text)) this.tokenIds.push(id);
    return this;
  }

  special(name: keyof typeof SPECIAL): this {
    this.tokenIds.push(SPECIAL[name]);
    return this;
  }

  media(item: MediaItem): this {
    this.special('mediaStart');
    this.items.push({ ...item, offset: this.tokenIds.length });
    for (let i = 0; i < item.length; i++) this.tokenIds.push(SPECIAL[item.modality]);
    return this.special('mediaEnd');
  }

  build(): RenderedPrompt {
    return { tokenIds: this.tokenIds, items: this.items };
  }
}
