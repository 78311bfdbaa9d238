import { Logger } from '@nestjs/common';
import type { AdminView, RequestLists } from './admin-view.ts';
import { mergeExpositions } from './merge-expositions.ts';
import { CONTENT_TYPES } from './exposition.ts';
import type { Format } from './exposition.ts';
import { mergeLists, mergeStatus } from './merge-status.ts';
import type { WorkerStatus } from './merge-status.ts';

/** Milliseconds that a worker has to answer; its neighbours are shown without it after that. */
const ANSWER_WITHIN = 5_000;

/** What the listener of several workers is made of. */
export interface WorkersSources {
  readonly token: string;
  readonly effectiveConfig: string;
  /** Where the listeners of the workers that serve at present are, on loopback. */
  urls(): readonly string[];
}

/** All workers of one coordinator, each asked at its own listener; what they say is put together. */
export class AllWorkers implements AdminView {
  private readonly logger = new Logger('supervisor');

  constructor(private readonly sources: WorkersSources) {}

  get token(): string {
    return this.sources.token;
  }

  get effectiveConfig(): string {
    return this.sources.effectiveConfig;
  }

  async requests(timelines?: number): Promise<RequestLists> {
    const lists = await this.json<RequestLists>(
      timelines === undefined ? '/admin/requests' : `/admin/requests?timelines=${timelines}`,
    );
    return mergeLists(lists, timelines);
  }

  async find(id: string): Promise<readonly object[]> {
    const found = await this.json<{ requests: readonly object[] }>(`/admin/requests/${encodeURIComponent(id)}`);
    return found.flatMap(({ requests }) => requests);
  }

  async pipeline(): Promise<object> {
    const [first = {}] = await this.json<object>('/admin/pipeline');
    return first;
  }

  async status(): Promise<object> {
    return mergeStatus(await this.json<WorkerStatus>('/admin/status'));
  }

  /** All have the same queues: the first one that answers is enough. */
  async queues(): Promise<readonly object[] | undefined> {
    for (const url of this.sources.urls()) {
      const text = await this.ask(`${url}/admin/queues`, {});
      // a worker is this program: what it answers is what it says it does
      if (text !== undefined) return (JSON.parse(text) as { queues: readonly object[] }).queues;
    }
    return undefined;
  }

  async setLogLevel(level: number): Promise<void> {
    await this.json('/admin/log-level', { method: 'PUT', body: JSON.stringify({ level }) });
  }

  async drain(): Promise<string> {
    const [first] = await this.json<{ phase: string }>('/admin/drain', { method: 'POST' });
    return first?.phase ?? 'starting';
  }

  async *metrics(format: Format): AsyncIterable<string> {
    yield* mergeExpositions(await this.texts('/metrics', { accept: CONTENT_TYPES[format] }), format);
  }

  private async json<Answer>(path: string, call: Call = {}): Promise<Answer[]> {
    // workers are this program: what they answer is what it says they do
    return (await this.texts(path, call)).map((text) => JSON.parse(text) as Answer);
  }

  /** What the workers answer; one that has nothing of that kind, or does not answer in time, is left out. */
  private async texts(path: string, call: Call): Promise<string[]> {
    const answers = await Promise.all(this.sources.urls().map((url) => this.ask(url + path, call)));
    return answers.filter((text) => text !== undefined);
  }

  private async ask(url: string, { accept = 'application/json', ...call }: Call) {
    try {
      const answer = await fetch(url, {
        ...call,
        headers: { accept, authorization: `Bearer ${this.token}` },
        signal: AbortSignal.timeout(ANSWER_WITHIN),
      });
      const text = await answer.text();
      return answer.ok ? text : undefined;
    } catch (error) {
      this.logger.warn({ err: error, path: new URL(url).pathname }, 'a worker did not answer');
      return undefined;
    }
  }
}

interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST';
  readonly body?: string;
  readonly accept?: string;
}
