import type { Choice, GeneratedToken } from '../generated-text.ts';
import { DONE, alternatives, sse, textOf, usageOf } from './answer.ts';
import type { Answer, AnswerFormat } from './answer.ts';

/** `/v1/completions`: `text_completion`, whole and as events. */
export class CompletionsAnswer implements AnswerFormat {
  constructor(private readonly answer: Answer) {}

  whole(): Readonly<Record<string, unknown>> {
    return {
      ...this.envelope(),
      choices: this.answer.choices.map((choice) => ({
        ...this.choice(choice.index, textOf(choice), choice.finishReason, choice.tokens),
        prompt_logprobs: null,
      })),
      usage: usageOf(this.answer),
      kv_transfer_params: null,
    };
  }

  opening(): string[] {
    return [];
  }

  token(choice: Choice, position: number): string {
    const token = choice.tokens[position];
    return this.chunk(choice.index, token?.text ?? '', null, token === undefined ? [] : [token]);
  }

  finished({ index, finishReason }: Choice): string[] {
    return [this.chunk(index, '', finishReason, [])];
  }

  closing(): string[] {
    const usage = sse({ ...this.envelope(), choices: [], usage: usageOf(this.answer) });
    return this.answer.sampling.includeUsage ? [usage, DONE] : [DONE];
  }

  private chunk(index: number, text: string, finishReason: string | null, tokens: readonly GeneratedToken[]): string {
    return sse({ ...this.envelope(), choices: [this.choice(index, text, finishReason, tokens)] });
  }

  private choice(index: number, text: string, finishReason: string | null, tokens: readonly GeneratedToken[]): object {
    return { index, text, logprobs: this.logprobs(tokens), finish_reason: finishReason, stop_reason: null };
  }

  private envelope(): Readonly<Record<string, unknown>> {
    const { requestId, created, model } = this.answer;
    return { id: `cmpl-${requestId}`, object: 'text_completion', created, model };
  }

  private logprobs(tokens: readonly GeneratedToken[]): unknown {
    const top = this.answer.sampling.topLogprobs;
    if (top === undefined) return null;
    let offset = 0;
    return {
      text_offset: tokens.map(({ text }) => (offset += text.length) - text.length),
      tokens: tokens.map(({ text }) => text),
      token_logprobs: tokens.map(({ logprob }) => logprob),
      top_logprobs: tokens.map((token) =>
        Object.fromEntries(alternatives(token, top).map((other) => [other.token, other.logprob])),
      ),
    };
  }
}
