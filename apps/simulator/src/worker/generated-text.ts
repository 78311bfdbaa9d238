import { tokenId } from '../render/tokenizer.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { Sampling } from './sampling.ts';

/** One choice of an answer, made in full before its first token is sent. */
export interface Choice {
  readonly index: number;
  readonly tokens: readonly GeneratedToken[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'cache_threshold';
}

export interface GeneratedToken {
  readonly text: string;
  readonly id: number;
  /** Always negative. */
  readonly logprob: number;
}

/** The choices of an answer. They depend on prompt and sampling alone, so that a request sent again gets the same answer. */
export function generate(prompt: RenderedPrompt, sampling: Sampling): Choice[] {
  const seed = prompt.tokenIds.reduce((sum, id) => Math.imul(sum ^ id, 0x01000193), 0x811c9dc5);
  return Array.from({ length: sampling.choices }, (_, index) => choice(index, numbers(seed + index), sampling));
}

function choice(index: number, next: () => number, { maxTokens, minTokens, ignoreEos, tool }: Sampling): Choice {
  const natural = SHORTEST + (next() % SPREAD);
  const limit = maxTokens ?? Infinity;
  const texts =
    tool === undefined
      ? words(next, Math.min(limit, ignoreEos && maxTokens !== undefined ? maxTokens : Math.max(natural, minTokens)))
      : (tool.argumentsText.match(/[^]{1,6}/gu) ?? []);
  const tokens = texts
    .slice(0, limit)
    .map((text) => ({ text, id: tokenId(text), logprob: -(1 + (next() % 200)) / 100 }));
  if (tokens.length === limit) return { index, tokens, finishReason: 'length' };
  return { index, tokens, finishReason: tool === undefined ? 'stop' : 'tool_calls' };
}

const SHORTEST = 24;
const SPREAD = 40;
const SENTENCE = 9;

/** Text in pieces that are tokens each: words of up to six letters with their leading space, and full stops. */
function words(next: () => number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % SENTENCE === SENTENCE - 1) return '.';
    const word = WORDS[next() % WORDS.length] ?? 'word';
    if (i === 0) return capital(word);
    return ` ${i % SENTENCE === 0 ? capital(word) : word}`;
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** mulberry32: a stream of 32-bit numbers that the seed decides. */
function numbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const WORDS = (
  'a the one two few many old new warm cold small large quiet bright slow quick early late river stone field garden window ' +
  'paper letter table lamp road bridge train harbor boat island winter summer spring autumn morning night rain snow cloud ' +
  'light shadow music story answer question reason number name house city forest valley hill sea shore bird horse dog cat ' +
  'walks runs waits stays turns opens closes finds keeps gives takes sees hears knows thinks asks tells reads writes over ' +
  'under behind beside with without before after near far and but so while until'
)
  .split(' ')
  .filter((word) => word.length <= 6);
