import type { Choice, GeneratedToken } from '../generated-text.ts';
import { DONE, alternatives, sse, usageOf } from './answer.ts';
import type { Answer, AnswerFormat } from './answer.ts';

/** `/inference/v1/generate`: token ids out, no text. */
export class GenerateAnswer implements AnswerFormat {
  constructor(private readonly answer: Answer) {}

  whole(): Readonly<Record<string, unknown>> {
    return {
      request_id: this.answer.requestId,
      choices: this.answer.choices.map((choice) => this.choice(choice.index, choice.tokens, choice.finishReason)),
      prompt_logprobs: null,
      kv_transfer_params: null,
    };
  }

  opening(): string[] {
    return [];
  }

  token(choice: Choice, position: number): string {
    const token = choice.tokens[position];
    return this.chunk([this.choice(choice.index, token === undefined ? [] : [token], null)]);
  }

  finished({ index, finishReason }: Choice): string[] {
    return [this.chunk([this.choice(index, [], finishReason)])];
  }

  closing(): string[] {
    const usage = sse({ request_id: this.answer.requestId, choices: [], usage: usageOf(this.answer) });
    return this.answer.sampling.includeUsage ? [usage, DONE] : [DONE];
  }

  private chunk(choices: readonly object[]): string {
    return sse({ request_id: this.answer.requestId, choices });
  }

  private choice(index: number, tokens: readonly GeneratedToken[], finishReason: string | null): object {
    const top = this.answer.sampling.topLogprobs;
    const logprobs =
      top === undefined
        ? null
        : { content: tokens.map((token) => ({ logprob: token.logprob, top_logprobs: alternatives(token, top) })) };
    return { index, logprobs, finish_reason: finishReason, token_ids: tokens.map(({ id }) => id) };
  }
}
