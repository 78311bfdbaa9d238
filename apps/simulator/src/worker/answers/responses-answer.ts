import type { Choice } from '../generated-text.ts';
import { completionTokens, textOf } from './answer.ts';
import type { Answer, AnswerFormat } from './answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `/v1/responses`: a `response` object, or its named events. It has one output item: a message, or a function call. */
export class ResponsesAnswer implements AnswerFormat {
  private sequence = 0;

  constructor(private readonly answer: Answer) {}

  whole(): Fields {
    const [choice] = this.answer.choices;
    const cut = choice?.finishReason === 'length';
    return this.response(
      cut ? 'incomplete' : 'completed',
      choice === undefined ? [] : [this.item(choice, 'completed')],
    );
  }

  opening(): string[] {
    const item = this.emptyItem();
    return [
      this.event('response.created', { response: this.response('in_progress', []) }),
      this.event('response.in_progress', { response: this.response('in_progress', []) }),
      this.event('response.output_item.added', { output_index: 0, item }),
      ...(this.isCall ? [] : [this.event('response.content_part.added', { ...this.place, part: textPart('') })]),
    ];
  }

  token(choice: Choice, position: number): string {
    const delta = choice.tokens[position]?.text ?? '';
    if (this.isCall)
      return this.event('response.function_call_arguments.delta', { item_id: this.itemId, output_index: 0, delta });
    return this.event('response.output_text.delta', { ...this.place, delta, logprobs: [] });
  }

  finished(choice: Choice): string[] {
    const text = textOf(choice);
    const done = this.isCall
      ? [
          this.event('response.function_call_arguments.done', {
            item_id: this.itemId,
            output_index: 0,
            arguments: text,
          }),
        ]
      : [
          this.event('response.output_text.done', { ...this.place, text, logprobs: [] }),
          this.event('response.content_part.done', { ...this.place, part: textPart(text) }),
        ];
    return [
      ...done,
      this.event('response.output_item.done', { output_index: 0, item: this.item(choice, 'completed') }),
    ];
  }

  closing(): string[] {
    const response = this.whole();
    return [this.event(`response.${String(response['status'])}`, { response })];
  }

  private event(type: string, fields: Fields): string {
    const data = { type, sequence_number: this.sequence++, ...fields };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  private response(status: string, output: readonly Fields[]): Fields {
    const { requestId, created, model, promptTokens, cachedTokens } = this.answer;
    const made = completionTokens(this.answer);
    return {
      id: `resp_${requestId}`,
      object: 'response',
      created_at: created,
      status,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      error: null,
      model,
      output,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [],
      usage:
        status === 'in_progress'
          ? null
          : {
              input_tokens: promptTokens,
              input_tokens_details: { cached_tokens: cachedTokens },
              output_tokens: made,
              output_tokens_details: { reasoning_tokens: 0 },
              total_tokens: promptTokens + made,
            },
    };
  }

  private item(choice: Choice, status: string): Fields {
    const text = textOf(choice);
    return this.isCall
      ? { ...this.emptyItem(), status, arguments: text }
      : { ...this.emptyItem(), status, content: [textPart(text)] };
  }

  private emptyItem(): Fields {
    const { tool } = this.answer.sampling;
    const base = { id: this.itemId, status: 'in_progress' };
    return tool === undefined
      ? { ...base, type: 'message', role: 'assistant', content: [] }
      : { ...base, type: 'function_call', call_id: `call-${this.answer.requestId}`, name: tool.name, arguments: '' };
  }

  private get isCall(): boolean {
    return this.answer.sampling.tool !== undefined;
  }

  private get itemId(): string {
    return `${this.isCall ? 'fc' : 'msg'}_${this.answer.requestId}`;
  }

  private get place(): Fields {
    return { item_id: this.itemId, output_index: 0, content_index: 0 };
  }
}

function textPart(text: string): Fields {
  return { type: 'output_text', text, annotations: [] };
}
