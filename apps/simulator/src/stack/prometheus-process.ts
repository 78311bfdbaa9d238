import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { environment } from '#config';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';

/** What it watches, and where it listens. */
export interface PrometheusSettings {
  readonly host: string;
  readonly port: number;
  /** `host:port` of the coordinator's metrics. */
  readonly coordinator: string;
  /** The same of the simulated workers. */
  readonly workers: readonly string[];
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
        config: prometheusConfig(settings),
        args: (file, folder) => [
          `--config.file=${file}`,
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

/** Where the program lies; undefined when it is not on the PATH. */
export function findPrometheus(path = environment()['PATH'] ?? ''): string | undefined {
  const candidates = path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, 'prometheus')]));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The rule files of a folder, which need not be there. */
export function ruleFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.rules.yaml'));
  return names.map((name) => join(folder, name));
}

function prometheusConfig({ coordinator, workers, rules }: PrometheusSettings): JsonObject {
  // the labels that the dashboards tell deployments apart by
  const scrape = (job: string, targets: readonly string[]): JsonObject => ({
    job_name: job,
    static_configs: [{ targets, labels: { namespace: 'local' } }],
  });
  return {
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '2s' },
    rule_files: rules,
    scrape_configs: [scrape('coordinator', [coordinator]), scrape('vllm', workers)],
  };
}
