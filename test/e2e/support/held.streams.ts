import type { ServerResponse } from 'node:http';
import { ScriptedWorker } from './scripted.worker.ts';
import { openChat } from './streaming.client.ts';

/** Milliseconds between two events of a stream that is held. */
const EVERY = 100;
/** What a request says in its prompt to be held. */
const HOLD = 'hold-this-one';
const DONE = 'data: [DONE]\n\n';
const CACHE_MISS = 412;

const event = (number: number): string => `data: {"choices":[{"index":0,"delta":{"content":"${number} "}}]}\n\n`;

/** Streams that go on until the test has them end. */
export class HeldStreams {
  private readonly open = new Map<string, { response: ServerResponse; sent: string }>();
  private readonly sent = new Map<string, string>();
  private readonly timer = setInterval(() => {
    this.carry();
  }, EVERY);
  private count = 0;

  private constructor(readonly worker: ScriptedWorker) {}

  /** Starts the worker that serves them, and other requests with one event; it has nothing in its cache. */
  static async start(): Promise<HeldStreams> {
    const streams = new HeldStreams(await ScriptedWorker.start('decode-1', 'decode', () => undefined));
    streams.worker.script = ({ headers, body }, response) => {
      if (headers['prefer'] !== undefined) return void response.writeHead(CACHE_MISS).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (body.includes(HOLD)) streams.hold(String(headers['x-request-id']), response);
      else response.end(event(0) + DONE);
    };
    return streams;
  }

  /** What a request that is not held is answered. */
  static readonly short = event(0) + DONE;

  /** Opens a stream. @returns what came when it is over, and how it ended */
  async ask(url: string, id: string): Promise<{ text: string; isWhole: boolean }> {
    const messages = [{ role: 'user', content: `${HOLD} ${id}` }];
    const answer = await openChat(url, { model: 'm', stream: true, messages }, { 'x-request-id': id });
    let text = '';
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    return new Promise((resolve) => {
      answer.once('close', () => {
        resolve({ text, isWhole: answer.complete });
      });
    });
  }

  /** Streams that run. */
  get running(): number {
    return this.open.size;
  }

  /** What was sent in a stream, from its first byte to its last. */
  textOf(id: string): string | undefined {
    return this.sent.get(id);
  }

  /** Has all of them end as they should. */
  release(): void {
    for (const [id, stream] of this.open) {
      stream.response.end(DONE);
      this.sent.set(id, stream.sent + DONE);
    }
    this.open.clear();
  }

  close(): Promise<void> {
    clearInterval(this.timer);
    return this.worker.close();
  }

  private hold(id: string, response: ServerResponse): void {
    this.open.set(id, { response, sent: '' });
    response.once('close', () => this.open.delete(id));
  }

  private carry(): void {
    const next = event(this.count++);
    for (const stream of this.open.values()) {
      stream.response.write(next);
      stream.sent += next;
    }
  }
}
