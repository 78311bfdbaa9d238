import type { Choice, GeneratedToken } from '../generated-text.ts';
import type { ToolRequest } from '../tool-call.ts';
import { DONE, alternatives, sse, textOf, usageOf } from './answer.ts';
import type { Answer, AnswerFormat } from './answer.ts';

/** `/v1/chat/completions`: `chat.completion`, or `chat.completion.chunk` events. */
export class ChatAnswer implements AnswerFormat {
  constructor(private readonly answer: Answer) {}

  whole(): Readonly<Record<string, unknown>> {
    return {
      ...this.envelope('chat.completion'),
      choices: this.answer.choices.map((choice) => ({
        index: choice.index,
        message: { role: 'assistant', refusal: null, ...this.message(choice) },
        logprobs: this.logprobs(choice.tokens),
        finish_reason: choice.finishReason,
        stop_reason: null,
      })),
      usage: usageOf(this.answer),
      prompt_logprobs: null,
      kv_transfer_params: null,
    };
  }

  opening(): string[] {
    return this.answer.choices.flatMap(({ index }) => {
      const role = this.chunk(index, { role: 'assistant', content: '' }, null);
      const { tool } = this.answer.sampling;
      return tool === undefined
        ? [role]
        : [role, this.chunk(index, { tool_calls: [this.toolCall(tool, index, '')] }, null)];
    });
  }

  token(choice: Choice, position: number): string {
    const token = choice.tokens[position];
    const text = token?.text ?? '';
    const { tool } = this.answer.sampling;
    const delta =
      tool === undefined ? { content: text } : { tool_calls: [{ index: 0, function: { arguments: text } }] };
    return this.chunk(choice.index, delta, null, token === undefined ? [] : [token]);
  }

  finished({ index, finishReason }: Choice): string[] {
    return [this.chunk(index, { content: '' }, finishReason)];
  }

  closing(): string[] {
    const usage = sse({ ...this.envelope('chat.completion.chunk'), choices: [], usage: usageOf(this.answer) });
    return this.answer.sampling.includeUsage ? [usage, DONE] : [DONE];
  }

  private message(choice: Choice): Readonly<Record<string, unknown>> {
    const { tool } = this.answer.sampling;
    if (tool === undefined) return { content: textOf(choice), tool_calls: [] };
    return { content: null, tool_calls: [this.toolCall(tool, choice.index, textOf(choice))] };
  }

  private toolCall(tool: ToolRequest, choice: number, argumentsText: string): Readonly<Record<string, unknown>> {
    return {
      index: 0,
      id: `call-${this.answer.requestId}-${choice}`,
      type: 'function',
      function: { name: tool.name, arguments: argumentsText },
    };
  }

  private chunk(
    index: number,
    delta: unknown,
    finishReason: string | null,
    tokens: readonly GeneratedToken[] = [],
  ): string {
    const logprobs = tokens.length > 0 ? this.logprobs(tokens) : null;
    return sse({
      ...this.envelope('chat.completion.chunk'),
      choices: [{ index, delta, logprobs, finish_reason: finishReason }],
    });
  }

  private envelope(object: string): Readonly<Record<string, unknown>> {
    const { requestId, created, model } = this.answer;
    return { id: `chatcmpl-${requestId}`, object, created, model };
  }

  private logprobs(tokens: readonly GeneratedToken[]): unknown {
    const top = this.answer.sampling.topLogprobs;
    if (top === undefined) return null;
    const entry = ({ token, logprob }: { token: string; logprob: number }): unknown => ({
      token,
      logprob,
      bytes: [...Buffer.from(token)],
    });
    return {
      content: tokens.map((token) => ({
        token: token.text,
        logprob: token.logprob,
        bytes: [...Buffer.from(token.text)],
        top_logprobs: top === 0 ? [] : alternatives(token, top).map(entry),
      })),
    };
  }
}
