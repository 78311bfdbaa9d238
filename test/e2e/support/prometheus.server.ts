import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const WAIT_MS = 60_000;

/** One result of a query: labels, and the last value as text. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** What is scraped, on this machine. */
export interface ScrapeTarget {
  readonly job: string;
  readonly port: number;
}

export interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/** A real Prometheus, which scrapes one target each second and has its data in a folder that goes away. */
export class PrometheusServer {
  private readonly kill = (): void => void this.child.kill('SIGKILL');

  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly folder: TemporaryFolder,
  ) {
    process.once('exit', this.kill);
  }

  /** @throws Error when it does not start */
  static async start(executable: string, { job, port }: ScrapeTarget, ruleFile: string): Promise<PrometheusServer> {
    const folder = new TemporaryFolder();
    const listen = `127.0.0.1:${await freePort()}`;
    const file = folder.write('prometheus.yaml', {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      scrape_configs: [{ job_name: job, static_configs: [{ targets: [`127.0.0.1:${port}`] }] }],
      rule_files: [ruleFile],
    });
    const flags = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${folder.path}/data`,
      `--web.listen-address=${listen}`,
      '--enable-feature=exemplar-storage',
      '--log.level=error',
    ];
    const child = spawn(executable, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
    const server = new PrometheusServer(child, `http://${listen}`, folder);
    try {
      await server.until(async () => (await fetch(`${server.url}/-/ready`)).ok, 'Prometheus to be ready');
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** The series that an expression has now. @throws Error with what Prometheus says against it */
  async query(expression: string): Promise<readonly Sample[]> {
    // the shape that the HTTP API documents for an instant vector
    const data = (await this.get('query', { query: expression })) as { result: readonly Sample[] };
    return data.result;
  }

  /** Values of a label among the series of a selector. */
  async labelValues(label: string, selector: string): Promise<readonly string[]> {
    return (await this.get(`label/${label}/values`, { 'match[]': selector })) as readonly string[];
  }

  /** Trace ids of the exemplars that an expression's series have had in the last minutes. */
  async exemplars(expression: string): Promise<readonly string[]> {
    const now = Date.now() / 1000;
    const range = { start: String(now - 600), end: String(now + 1) };
    const series = (await this.get('query_exemplars', { query: expression, ...range })) as readonly {
      exemplars: readonly { labels: { trace_id: string } }[];
    }[];
    return series.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels.trace_id));
  }

  async rules(): Promise<readonly RuleState[]> {
    const data = (await this.get('rules', {})) as { groups: readonly { rules: readonly RuleState[] }[] };
    return data.groups.flatMap(({ rules }) => rules);
  }

  /** Waits until everything that is counted by now has been scraped. */
  async nextScrape(): Promise<void> {
    const now = Date.now() / 1000;
    await this.until(async () => {
      const [[scraped], [up]] = await Promise.all([this.query('timestamp(up)'), this.query('up')]);
      return Number(scraped?.value[1]) > now && up?.value[1] === '1';
    }, 'a scrape');
  }

  /** @throws Error when it takes a minute */
  async until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while (!(await isTrue().catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`waited for ${what} in vain`);
      await sleep(100);
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await ended;
    }
    process.off('exit', this.kill);
    this.folder.remove();
  }

  private async get(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const answer = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    // the envelope of Prometheus's HTTP API
    const body = (await answer.json()) as { status: string; error?: string; data: unknown };
    if (body.status !== 'success') throw new Error(body.error ?? `status ${answer.status}`);
    return body.data;
  }
}
