import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_WITHIN_MS = 30_000;
const ASK_AGAIN_MS = 100;

/** A request that is queued. */
export interface QueuedChat {
  /** `x-request-id`, by which its result is fetched. */
  readonly id: string;
  readonly mode: 'enqueue' | 'wait';
  /** W3C `traceparent`, which goes with it through the queue. */
  readonly traceparent: string;
  readonly model: string;
  readonly content: string;
  /** Of the answer, at most and at least. */
  readonly limits: { readonly max_tokens: number; readonly min_tokens?: number };
}

/** A client of queued requests, that says what it asks and what it is answered: a line for each. */
export class QueueClient {
  /** @param url where clients come in */
  constructor(
    private readonly url: string,
    private readonly write: (text: string) => void,
  ) {}

  /** @throws Error when it is answered otherwise, or not within 30 s */
  async submit({ id, mode, traceparent, model, content, limits }: QueuedChat, status: number): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'x-request-id': id,
      'x-llm-d-async-mode': mode,
      traceparent,
    };
    const body = JSON.stringify({ model, ...limits, messages: [{ role: 'user', content }] });
    this.tell(await this.ask('POST', '/v1/chat/completions', { headers, body }), mode, status);
  }

  /** Asks for the result until it is there. @throws Error when it is another one, or not there within 30 s */
  async fetch(id: string, status: number): Promise<void> {
    const path = `/v1/requests/${id}`;
    const deadline = Date.now() + ANSWER_WITHIN_MS;
    let answer = await this.ask('GET', path);
    if (answer.status === PENDING) this.tell(answer, '', PENDING);
    while (answer.status === PENDING && Date.now() < deadline) {
      await sleep(ASK_AGAIN_MS);
      answer = await this.ask('GET', path);
    }
    this.tell(answer, '', status);
  }

  /** @throws Error when it is answered otherwise */
  async cancel(id: string): Promise<void> {
    this.tell(await this.ask('DELETE', `/v1/requests/${id}`), '', GONE);
  }

  private async ask(method: string, path: string, init: RequestInit = {}): Promise<Exchange> {
    const response = await fetch(`${this.url}${path}`, {
      ...init,
      method,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { method, path, status: response.status, text: await response.text() };
  }

  private tell({ method, path, status, text }: Exchange, mode: string, expected: number): void {
    const what = [method, path, mode].filter((word) => word !== '').join(' ');
    this.write(`   ${`${what} → ${status} ${saidIn(text)}`.trimEnd()}\n`);
    if (status !== expected) throw new Error(`${what} was answered ${status}, not ${expected}: ${text}`);
  }
}

const PENDING = 202;
const GONE = 204;

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

/** Of an answer: that it is pending, what is wrong, or what the model says. */
function saidIn(text: string): string {
  if (text === '') return '';
  const { status, error, choices } = JSON.parse(text) as Answer; // what the coordinator and the simulator answer
  return status ?? error?.code ?? choices?.[0]?.message?.content ?? '';
}

interface Answer {
  readonly status?: string;
  readonly error?: { readonly code?: string | null };
  readonly choices?: readonly { readonly message?: { readonly content?: string } }[];
}
