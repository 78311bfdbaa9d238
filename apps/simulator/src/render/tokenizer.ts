/** Ids that stand for structure instead of text. They lie above every id that `tokenId` makes. */
export const SPECIAL = {
  bos: 151643,
  messageStart: 151644,
  messageEnd: 151645,
  mediaStart: 151652,
  mediaEnd: 151653,
  image: 151655,
  video: 151656,
  audio: 151657,
} as const;

const FIRST_ID = 1000;
const TEXT_IDS = 150_000;
/** A word takes its leading space with it, as in byte-pair vocabularies; no piece has more than six characters beside it. */
const PIECE = / ?\p{L}{1,6}| ?\p{N}{1,6}|\s+|[^\s\p{L}\p{N}]{1,6}/gu;

/** The pieces of a text, in order; joined they are the text again. */
export function pieces(text: string): string[] {
  return text.match(PIECE) ?? [];
}

/** Token ids of a text, without markers. Equal texts have equal ids on every machine. */
export function tokenize(text: string): number[] {
  return pieces(text).map(tokenId);
}

/** The id of one piece: FNV-1a over its UTF-16 code units. */
export function tokenId(piece: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < piece.length; i++) hash = Math.imul(hash ^ piece.charCodeAt(i), 0x01000193);
  return FIRST_ID + ((hash >>> 0) % TEXT_IDS);
}
