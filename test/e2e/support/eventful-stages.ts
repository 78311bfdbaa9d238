import { openChat, readFirstEvent, readText } from './streaming.client.ts';
import type { SentHeaders } from './streaming.client.ts';

/** Workers as the endpoint picker would name them, `host:port`; `gone` is one that does not listen. */
export interface NamedWorkers {
  readonly encode: string;
  readonly prefill: string;
  readonly gone: string;
}

/** A red square. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Anything that may happen to a request in a decode pod, so that every metric has something to count. */
export class EventfulStages {
  private count = 0;

  constructor(
    private readonly url: string,
    private readonly workers: NamedWorkers,
  ) {}

  /** Everything once. */
  async round(): Promise<void> {
    const { encode, prefill, gone } = this.workers;
    const [prefiller, encoder] = [{ 'x-prefiller-host-port': prefill }, { 'x-encoder-hosts-ports': encode }];
    await this.ask(200);
    await this.ask(200, {}, prefiller);
    await this.ask(200, { stream: false, prompt_logprobs: 1 }, prefiller);
    await this.ask(200, { messages: [this.withImage()] }, encoder);
    await this.ask(200, { messages: [this.withImage()] }, { ...encoder, ...prefiller });
    await this.ask(502, {}, { 'x-prefiller-host-port': gone });
    await this.ask(502, { messages: [this.withImage()] }, { 'x-encoder-hosts-ports': gone });
    await this.ask(502, {}, { 'x-prefiller-host-port': 'no/address' });
    await (await fetch(`${this.url}/v1/models`)).text();
    await this.left();
  }

  /** A client that leaves in the middle of a stream. */
  private async left(): Promise<void> {
    const answer = await openChat(this.url, this.chat({ max_tokens: 5_000, ignore_eos: true }));
    await readFirstEvent(answer);
    answer.destroy();
  }

  /** @throws Error when the answer has another status */
  private async ask(status: number, changes: object = {}, headers: SentHeaders = {}): Promise<void> {
    const answer = await openChat(this.url, this.chat(changes), headers);
    const text = await readText(answer);
    if (answer.statusCode !== status) throw new Error(`status ${answer.statusCode}, not ${status}: ${text}`);
  }

  private chat(changes: object): object {
    const content = `${this.count++} is the number of this question, which asks for an answer.`;
    return { model: 'sim-model', stream: true, max_tokens: 12, messages: [{ role: 'user', content }], ...changes };
  }

  private withImage(): object {
    return { role: 'user', content: [{ type: 'image_url', image_url: { url: IMAGE } }] };
  }
}
