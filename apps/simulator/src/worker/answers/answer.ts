import type { Choice, GeneratedToken } from '../generated-text.ts';
import type { Sampling } from '../sampling.ts';

/** What every form of an answer is made from. */
export interface Answer {
  readonly requestId: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly choices: readonly Choice[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly sampling: Sampling;
}

/** One API's shape of an answer: as a whole, or as events, each with its blank line. */
export interface AnswerFormat {
  whole(): Readonly<Record<string, unknown>>;
  /** Events before the first token. */
  opening(): string[];
  token(choice: Choice, position: number): string;
  /** Events after the last token of a choice. */
  finished(choice: Choice): string[];
  /** Events after all choices. */
  closing(): string[];
}

export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

export function textOf(choice: Choice): string {
  return choice.tokens.map(({ text }) => text).join('');
}

export function completionTokens({ choices }: Answer): number {
  return choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** OpenAI's `usage`; all choices of an answer count, the prompt once. */
export function usageOf(answer: Answer): Readonly<Record<string, unknown>> {
  const made = completionTokens(answer);
  return {
    prompt_tokens: answer.promptTokens,
    total_tokens: answer.promptTokens + made,
    completion_tokens: made,
    prompt_tokens_details: { cached_tokens: answer.cachedTokens },
  };
}

/** The token itself and `count` - 1 less likely ones, best first; the token alone for 0. */
export function alternatives(token: GeneratedToken, count: number): { token: string; logprob: number }[] {
  return Array.from({ length: Math.max(1, count) }, (_, i) => ({
    token: i === 0 ? token.text : `${token.text}~${i}`,
    logprob: token.logprob - i,
  }));
}
