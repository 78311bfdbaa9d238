import type { ServerResponse } from 'node:http';
import { json } from '#testing';
import type { Handler } from '#testing';
import { eventually } from '../../integration/broker.fixture.ts';
import { QUEUE, QueueBench, idOf } from './queue-bench.ts';

/** Two tries that follow each other closely, and leases that end soon. */
export const HASTY = { concurrency: 2, max_attempts: 2, lease: '1s', backoff: { initial: '20ms', max: '20ms' } };

const RETRIES = `async-worker:retries:${QUEUE}`;

/** Anything that may happen to queued requests, so that every metric of a worker has something to count. */
export class EventfulMessages {
  private count = 0;

  private constructor(
    readonly bench: QueueBench,
    private readonly open: ReadonlySet<ServerResponse>,
  ) {}

  static async start(): Promise<EventfulMessages> {
    const open = new Set<ServerResponse>();
    return new EventfulMessages(await QueueBench.start(served(open)), open);
  }

  /** Everything once. */
  async round(): Promise<void> {
    await this.ended(await this.submit('at-once'));
    await this.ended(await this.submit('second-try'));
    await this.ended(await this.submit('never'));
    await this.ended(await this.submit('held', 1));
    await this.givenUp();
    await this.unreadable();
    await this.refusedByRedis();
  }

  /** A worker dies with what it holds, which the next one does. */
  async death(): Promise<void> {
    const worker = await this.bench.worker({ worker: HASTY });
    await this.held('abandoned');
    await worker.crash();
  }

  /** Requests that are held, and one that waits behind them. */
  async full(): Promise<void> {
    for (let number = 0; number < HASTY.concurrency; number++) await this.held();
    await this.submit('held');
  }

  private async givenUp(): Promise<void> {
    const id = await this.held();
    await this.bench.about('DELETE', id);
    await this.ended(id);
  }

  private async unreadable(): Promise<void> {
    await this.bench.client.zAdd(QUEUE, { score: Date.now() / 1000 + 60, value: `{"nothing":${this.count++}}` });
    await eventually(async () => (await this.bench.client.zCard(QUEUE)) === 0);
  }

  /** What waits for its next try is a key of another type, until Redis has said so. */
  private async refusedByRedis(): Promise<void> {
    const { client } = this.bench;
    const refused = await errors(client);
    await client.set(RETRIES, 'text');
    await eventually(async () => (await errors(client)) > refused);
    await client.del(RETRIES);
  }

  /** @returns the id of a request whose call has begun */
  private async held(kind = 'held'): Promise<string> {
    const before = this.open.size;
    const id = await this.submit(kind);
    await eventually(() => this.open.size > before);
    return id;
  }

  private async submit(kind: string, seconds = 600): Promise<string> {
    const id = `${kind}-${this.count++}`;
    const { status, text } = await this.bench.submit({ id, seconds });
    if (status !== 202) throw new Error(`status ${status}: ${text}`);
    return id;
  }

  private async ended(id: string): Promise<void> {
    await eventually(async () => (await this.bench.mailbox(id)).length === 1, 20_000);
  }
}

/** Serves by what the id of a request begins with. @param open where what is held is kept */
function served(open: Set<ServerResponse>): Handler {
  const tried = new Set<string>();
  return ({ body }, response) => {
    const id = idOf({ body });
    const isFirst = !tried.has(id);
    tried.add(id);
    if (id.startsWith('never') || (id.startsWith('second-try') && isFirst)) json(response, '{}', 503);
    else if (id.startsWith('held') || (id.startsWith('abandoned') && isFirst)) hold(open, response);
    else json(response, '{"ok":true}');
  };
}

/** Until whoever asked is gone. */
function hold(open: Set<ServerResponse>, response: ServerResponse): void {
  open.add(response);
  response.once('close', () => open.delete(response));
}

/** Errors of type `WRONGTYPE` that Redis has answered with. */
async function errors(client: QueueBench['client']): Promise<number> {
  const text = await client.info('errorstats');
  return Number(/errorstat_WRONGTYPE:count=(\d+)/.exec(text)?.[1] ?? 0);
}
