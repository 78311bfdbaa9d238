import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '#config';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';

/** What it watches, and where it listens. */
export interface PrometheusSettings {
  readonly host: string;
  readonly port: number;
  /** `host:port` of metrics, by the name of the job. */
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  /** Files of recording rules and alerts. */
  readonly rules: readonly string[];
}

/** A Prometheus that scrapes the stack every two seconds and forgets everything when it ends. */
export class PrometheusProcess extends ChildProgram {
  private readonly url: string;

  /** @param print gets its errors, line by line */
  constructor(program: string, settings: PrometheusSettings, print: (line: string) => void) {
    const address = `${settings.host}:${settings.port}`;
    super(
      {
        name: 'Prometheus',
        command: program,
        files: () => ({ 'prometheus.yaml': prometheusConfig(settings) }),
        args: (folder) => [
          `--config.file=${join(folder, 'prometheus.yaml')}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=${address}`,
          '--enable-feature=exemplar-storage',
          '--log.level=error',
        ],
        env: environment(),
      },
      print,
    );
    this.url = `http://${address}`;
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.answers(`${this.url}/-/ready`);
  }
}

/** The rule files of a folder, which need not be there. */
export function ruleFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.rules.yaml'));
  return names.map((name) => join(folder, name));
}

function prometheusConfig({ jobs, rules }: PrometheusSettings): JsonObject {
  // the labels that the dashboards tell deployments apart by
  const scrape = ([job, targets]: readonly [string, readonly string[]]): JsonObject => ({
    job_name: job,
    static_configs: [{ targets, labels: { namespace: 'local' } }],
  });
  return {
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '2s' },
    rule_files: rules,
    scrape_configs: Object.entries(jobs).map(scrape),
  };
}
