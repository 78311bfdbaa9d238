import { eventually } from './eventually.ts';
import type { ListedWorker } from './endpoint-list.ts';
import type { PickerStack } from './picker-stack.ts';
import { openChat, readFirstEvent, readText } from './streaming.client.ts';
import type { SentHeaders } from './streaming.client.ts';

type ChatChanges = Readonly<{ stream?: boolean; max_tokens?: number; ignore_eos?: boolean }>;

/** Anything that may happen between a proxy and its picker, so that every metric has something to count. */
export class EventfulPicks {
  private count = 0;

  /** @param workers that there are when there are any */
  constructor(
    private readonly stack: PickerStack,
    private readonly workers: readonly ListedWorker[],
  ) {}

  /** Everything once. */
  async round(): Promise<void> {
    await this.answered();
    await this.refused();
    await this.left();
  }

  /** Cold and warm, as a stream and in one piece, and by another model than the client named. */
  private async answered(): Promise<void> {
    const prompt = this.prompt();
    await this.ask(prompt);
    await this.ask(prompt);
    await this.ask(prompt, { stream: false });
    await this.ask(this.prompt(), { stream: false });
    await this.ask(prompt, {}, { 'x-llm-d-model-name-rewrite': 'sim-model-b' });
  }

  /** By the probe of a cold prompt, by a body that is none, and by a pool without endpoints. */
  private async refused(): Promise<void> {
    await this.ask(this.prompt(), {}, { prefer: 'if-available' });
    await this.ask(undefined);
    this.stack.setEndpoints([]);
    await eventually(async () => (await this.ask(this.prompt())) === 503);
    this.stack.setEndpoints(this.workers);
    await eventually(async () => (await this.ask(this.prompt())) === 200);
  }

  /** A client that leaves in the middle of a stream. */
  private async left(): Promise<void> {
    const answer = await openChat(this.stack.url, body(this.prompt(), { max_tokens: 5_000, ignore_eos: true }));
    await readFirstEvent(answer);
    answer.destroy();
  }

  private async ask(
    content: string | undefined,
    changes: ChatChanges = {},
    headers: SentHeaders = {},
  ): Promise<number | undefined> {
    const answer = await openChat(this.stack.url, body(content, changes), headers);
    await readText(answer);
    return answer.statusCode;
  }

  /** Long enough for some blocks, and in nobody's cache. */
  private prompt(): string {
    return `${this.count++} is the number of this question, ${'which goes on for a while and asks for an answer. '.repeat(20)}`;
  }
}

function body(content: string | undefined, { stream = true, ...changes }: ChatChanges): object {
  return {
    model: 'sim-model',
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    max_tokens: 12,
    ...(content !== undefined && { messages: [{ role: 'user', content }] }),
    ...changes,
  };
}
