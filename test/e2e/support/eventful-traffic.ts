import type { SimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { FaultInput } from '../../../apps/simulator/src/control/fault.schema.ts';
import { openChat, readFirstEvent } from './streaming.client.ts';

const MEBIBYTE = 1024 * 1024;

/** Anything that may happen to requests, so that every metric has something to count. */
export class EventfulTraffic {
  private count = 0;

  constructor(private readonly cluster: SimulatedCluster) {}

  /** Everything once. */
  async round(): Promise<void> {
    await this.answered();
    await this.withMedia();
    await this.refused();
    await this.failed();
    await this.madeUpFor();
    await this.brokenOff();
    await this.large();
  }

  /** Streams and whole answers, by prefill and from cache, of every API. */
  private async answered(): Promise<void> {
    const text = this.prompt();
    await this.chat(text);
    await this.chat(text);
    await this.chat(this.prompt(), { stream: false });
    await this.post('/v1/completions', { model: 'sim-model', prompt: this.prompt(), max_tokens: 8 });
    await this.post('/v1/responses', { model: 'sim-model', input: this.prompt(), store: false });
  }

  private async withMedia(): Promise<void> {
    const { url } = this.cluster.media;
    const image = (name: string): object => ({ type: 'image_url', image_url: { url: `${url}/${name}` } });
    await this.chat([{ type: 'text', text: this.prompt() }, image('red.png'), image('blue.png')]);
    await this.chat([{ type: 'text', text: this.prompt() }, image('missing.png')]);
  }

  private async refused(): Promise<void> {
    await this.post('/v1/chat/completions', { model: 'sim-model' });
    await this.during({ phase: 'prefill', kind: 'status', status: 429, times: 1 });
    await this.during({ phase: 'render', kind: 'status', status: 503, times: 1 });
  }

  private async failed(): Promise<void> {
    await this.during({ phase: 'render', kind: 'status', status: 500, times: 1 });
    await this.during({ phase: 'probe', kind: 'status', status: 500, times: 1 });
    const image = { type: 'image_url', image_url: { url: `${this.cluster.media.url}/red.png` } };
    await this.during({ phase: 'encode', kind: 'status', status: 500, times: 1 }, [
      { type: 'text', text: this.prompt() },
      image,
    ]);
  }

  /** What the client is not told of: a probe without an answer, a call sent again, a prefill that failed or gave nothing. */
  private async madeUpFor(): Promise<void> {
    await this.during({ phase: 'probe', kind: 'reset', times: 2 });
    await this.during({ phase: 'decode', kind: 'reset', times: 1 });
    await this.during({ phase: 'prefill', kind: 'status', status: 500, times: 1 });
    await this.during({ phase: 'prefill', kind: 'status', status: 200, body: { choices: [] }, times: 1 });
  }

  private async brokenOff(): Promise<void> {
    await this.during({ phase: 'decode', kind: 'reset', after_events: 2, times: 1 });
    this.cluster.faults.set([{ phase: 'decode', kind: 'stall', after_events: 2, times: 1 }]);
    const answer = await openChat(this.cluster.gateway.url, this.body(this.prompt()));
    await readFirstEvent(answer);
    answer.destroy();
  }

  /** Enough bytes for the process to collect garbage. */
  private async large(): Promise<void> {
    for (let index = 0; index < 8; index++) {
      await this.post('/v1/chat/completions', { ...this.body(this.prompt()), padding: 'x'.repeat(4 * MEBIBYTE) });
    }
  }

  private async during(fault: FaultInput, content: unknown = this.prompt()): Promise<void> {
    this.cluster.faults.set([fault]);
    await this.chat(content);
    this.cluster.faults.clear();
  }

  private chat(content: unknown, more: object = {}): Promise<void> {
    return this.post('/v1/chat/completions', { ...this.body(content), ...more });
  }

  private body(content: unknown): object {
    return {
      model: 'sim-model',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 12,
      ignore_eos: true,
      messages: [{ role: 'user', content }],
    };
  }

  /** Reads to the end, however it ends: what came of a request is asked of the metrics. */
  private async post(path: string, body: object): Promise<void> {
    const answer = await fetch(this.cluster.gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(stripped(body)),
    });
    await answer.text().catch(() => undefined);
  }

  /** One that no worker has cached. */
  private prompt(): string {
    this.count++;
    return `Story ${this.count}: ${this.count} travellers came to an inn on a cold night, and each of them had a tale to tell by the fire.`;
  }
}

/** Options of a stream belong to streams only. */
function stripped(body: object): object {
  if (!('stream' in body) || body.stream !== false || !('stream_options' in body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'stream_options'));
}
