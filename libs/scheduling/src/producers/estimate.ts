import { stringBytes } from '../parsing/string-bytes.ts';
import type { Steps } from '../parsing/paced.ts';
import { hashLong } from '../prefix/xxh64.ts';
import type { PromptPiece, RequestHeaders, TokenFeature, TokenizedPrompt } from '../scheduling-request.ts';
import { mediaTokens } from './estimate-media.ts';
import type { EstimateParams } from './estimate.params.ts';
import { PseudoTokens } from './pseudo-tokens.ts';
import { sortedJson } from './sorted-json.ts';

/** Tokens that all items of a request may stand for: sizes are a client's to claim, and each token takes memory. */
const MAX_MEDIA_TOKENS = 2 * 1024 * 1024;

type MediaPiece = Extract<PromptPiece, { kind: 'media' }>;

/** What an estimate depends on beside the prompt. */
export interface EstimateContext {
  readonly headers: RequestHeaders;
  readonly params: EstimateParams;
}

/**
 * Tokens for prompts in words without a tokenizer: four bytes of UTF-8 are one, and an item is as many copies of a token of its own as
 * it is taken to stand for. Equal beginnings have equal tokens, which is all that a cache of prefixes asks for (`epp.md` 5.2).
 */
export function* estimateTokens(
  words: readonly (readonly PromptPiece[])[],
  context: EstimateContext,
): Steps<readonly TokenizedPrompt[]> {
  const estimate = new Estimate(context);
  const prompts: TokenizedPrompt[] = [];
  for (const pieces of words) prompts.push(yield* estimate.prompt(pieces));
  return prompts;
}

class Estimate {
  private mediaLeft = MAX_MEDIA_TOKENS;

  constructor(private readonly context: EstimateContext) {}

  *prompt(pieces: readonly PromptPiece[]): Steps<TokenizedPrompt> {
    const tokens = new PseudoTokens(pieces.reduce((sum, piece) => sum + weightOf(piece), 0));
    const features: TokenFeature[] = [];
    for (const piece of pieces) {
      if (piece.kind === 'media') features.push(yield* this.addMedia(tokens, piece));
      else tokens.append(yield* bytesOf(piece));
      yield;
    }
    return { ids: tokens.done(), features };
  }

  private *addMedia(tokens: PseudoTokens, { modality, content }: MediaPiece): Steps<TokenFeature> {
    const parts: Buffer[] = [];
    for (const value of content) parts.push(yield* stringBytes(value));
    const [only, another] = parts;
    const bytes = only !== undefined && another === undefined ? only : Buffer.concat(parts);
    const hash = yield* hashLong(bytes);
    const estimated = mediaTokens(modality, bytes, this.context.headers, this.context.params);
    const length = Math.max(1, Math.min(estimated, this.mediaLeft));
    this.mediaLeft -= length;
    const offset = tokens.repeat(Number(BigInt.asUintN(32, hash)), length);
    return { modality, hash: hash.toString(16), offset, length };
  }
}

function* bytesOf(piece: Exclude<PromptPiece, MediaPiece>): Steps<Buffer> {
  if (piece.kind === 'literal') return piece.bytes;
  return piece.kind === 'json' ? sortedJson(piece.value.bytes) : yield* stringBytes(piece.value);
}

/** Bytes that a piece will come to, by a guess. */
function weightOf(piece: PromptPiece): number {
  if (piece.kind === 'literal') return piece.bytes.length;
  return piece.kind === 'media' ? 1024 : piece.value.end - piece.value.start;
}
