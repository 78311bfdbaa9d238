import { rawJson } from '#json';
import type { JsonObject, Rope } from '#json';
import type { Chunk } from './chunked-answer.ts';

/** Tokens after which an answer without a limit of its own ends: more than any engine's context has. */
const UNLIMITED = 1024 * 1024;
const TRUE = rawJson('true');
const FALSE = rawJson('false');
const ASSISTANT = Buffer.from('{"role":"assistant","content":"');
const ASSISTANT_END = Buffer.from('"}]');
const COMMA = Buffer.from(',');

/** Token counts of an answer, as its client sees them. */
export interface ChunkedUsage {
  /** Of the first chunk: the later ones have the answer so far in their prompt. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** How far an answer is that is made of chunks, and the body of the call for its next one. */
export class ChunkedProgress {
  private left: number;
  /** Tokens that the answer must still have; undefined where the client asked for no least. */
  private leastLeft: number | undefined;
  private readonly texts: Buffer[] = [];
  private promptTokens = 0;
  private completionTokens = 0;
  private taken = 0;
  private isComplete = false;

  /**
   * @param size tokens of a chunk
   * @param budget tokens of the answer, Infinity for no limit
   */
  constructor(
    private readonly body: JsonObject,
    private readonly size: number,
    budget: number,
  ) {
    this.left = budget === Infinity ? UNLIMITED : budget;
    this.leastLeft = body.get('min_tokens')?.number;
  }

  /** Whether the last chunk that was taken is the answer's last. */
  get isDone(): boolean {
    return this.isComplete;
  }

  get chunks(): number {
    return this.taken;
  }

  get usage(): ChunkedUsage {
    return { promptTokens: this.promptTokens, completionTokens: this.completionTokens };
  }

  /** All text so far, as it stands between the quotes of a JSON string. */
  get text(): Rope {
    return this.texts;
  }

  nextBody(): Rope {
    const limit = rawJson(String(this.nextSize));
    const limits = { max_tokens: limit, max_completion_tokens: limit, stream: FALSE, stream_options: undefined };
    const rest = this.taken === 0 ? {} : { kv_transfer_params: undefined, ...this.continuation() };
    return this.body.setAll({ ...limits, ...this.leastTokens(), ...rest }).toRope();
  }

  take(chunk: Chunk): void {
    this.taken++;
    if (this.taken === 1) this.promptTokens = chunk.promptTokens ?? 0;
    this.completionTokens += chunk.completionTokens ?? 0;
    if (chunk.text.length > 0) this.texts.push(chunk.text);
    const spent = this.spentBy(chunk);
    this.left -= spent;
    if (this.leastLeft !== undefined) this.leastLeft = Math.max(0, this.leastLeft - spent);
    const { finishReason, hasMore } = chunk;
    const isStopped = finishReason !== undefined && finishReason !== 'length';
    this.isComplete = isStopped || hasMore || spent === 0 || this.left <= 0;
  }

  private get nextSize(): number {
    return Math.min(this.size, this.left);
  }

  /** An engine that does not count its tokens has made all that it was asked for; one that made nothing has spent nothing. */
  private spentBy({ completionTokens = 0, text }: Chunk): number {
    if (completionTokens > 0) return completionTokens;
    return text.length > 0 ? this.nextSize : 0;
  }

  /** Engines refuse a request with more tokens at least than at most. */
  private leastTokens(): Readonly<Record<string, Rope>> {
    if (this.leastLeft === undefined) return {};
    return { min_tokens: rawJson(String(Math.min(this.leastLeft, this.nextSize))) };
  }

  /** The prompt with one message of the assistant behind it that holds the text so far, to be gone on with. */
  private continuation(): Readonly<Record<string, Rope>> {
    const messages = this.body.valueBytes('messages') ?? [];
    const last = messages.at(-1);
    if (this.texts.length === 0 || last === undefined) return {};
    const isEmpty = this.body.get('messages')?.items().next().done === true;
    const grown = [
      ...messages.slice(0, -1),
      last.subarray(0, -1),
      ...(isEmpty ? [] : [COMMA]),
      ASSISTANT,
      ...this.texts,
      ASSISTANT_END,
    ];
    return { messages: grown, continue_final_message: TRUE, add_generation_prompt: FALSE };
  }
}
