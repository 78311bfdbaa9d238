import type { ServerResponse } from 'node:http';
import { FakeUpstream } from '#testing';
import type { RecordedRequest } from '#testing';

/** Answers a request; it may keep the answer open for as long as it likes. */
export type Script = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

/** What a worker says of itself in `/metrics`. */
export interface SaidLoad {
  readonly running: number;
  readonly waiting: number;
  /** 0 to 1. */
  readonly kvUsage: number;
}

/** A worker that answers as the test says, byte for byte, and reports the load that the test says. */
export class ScriptedWorker {
  load: SaidLoad = { running: 0, waiting: 0, kvUsage: 0 };

  private constructor(
    readonly name: string,
    readonly role: string,
    private readonly upstream: FakeUpstream,
    public script: Script,
  ) {}

  static async start(name: string, role: string, script: Script): Promise<ScriptedWorker> {
    const upstream = await FakeUpstream.start(() => undefined);
    const worker = new ScriptedWorker(name, role, upstream, script);
    upstream.handler = (request, response) => worker.answer(request, response);
    return worker;
  }

  get port(): number {
    return Number(new URL(this.upstream.url).port);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** What came in, scrapes left out. */
  get requests(): readonly RecordedRequest[] {
    return this.upstream.requests.filter(({ path }) => path !== '/metrics');
  }

  /** The request with that `x-request-id`. @throws Error when there was none, or several */
  request(id: string): RecordedRequest {
    const [found, another] = this.requests.filter(({ headers }) => headers['x-request-id'] === id);
    if (found === undefined || another !== undefined) throw new Error(`${this.name} was to get ${id} once`);
    return found;
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  private async answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    if (request.path === '/metrics') response.end(exposition(this.load));
    else await this.script(request, response);
  }
}

/** The lines of vLLM's page that a picker reads. */
function exposition({ running, waiting, kvUsage }: SaidLoad): string {
  return [
    `vllm:num_requests_running{engine="0"} ${running}`,
    `vllm:num_requests_waiting{engine="0"} ${waiting}`,
    `vllm:kv_cache_usage_perc{engine="0"} ${kvUsage}`,
    '',
  ].join('\n');
}
