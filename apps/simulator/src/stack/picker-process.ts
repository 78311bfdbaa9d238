import { join } from 'node:path';
import { objectAt } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';
import { isListening } from './is-listening.ts';
import type { PickerPlan } from './picker-plan.ts';
import { programEnvironment } from './program-environment.ts';
import type { Variables } from './program-environment.ts';

const ENDPOINTS = 'endpoints.yaml';
const DISCOVERY = 'file-discovery';

/** The built endpoint picker as a process of its own, with its endpoints in a file. */
export class PickerProcess extends ChildProgram {
  private readonly port: number;

  /**
   * @param print gets each line that the process writes
   * @param tracing variables that switch tracing on; undefined: off, unless the environment names an exporter
   */
  constructor(main: string, plan: PickerPlan, print: (line: string) => void, tracing?: Variables) {
    const env = programEnvironment(tracing);
    const isTraced = env['OTEL_TRACES_EXPORTER'] !== undefined;
    super(
      {
        name: `the endpoint picker (${plan.name})`,
        command: process.execPath,
        files: (folder) => ({
          'picker.yaml': withDiscovery(plan.config, join(folder, ENDPOINTS)),
          [ENDPOINTS]: { endpoints: plan.endpoints },
        }),
        args: (folder) => [
          main,
          `--config-file=${join(folder, 'picker.yaml')}`,
          `--grpc-port=${plan.grpcPort}`,
          '--grpc-health-port=0', // any: nobody here asks it
          `--metrics-port=${plan.adminPort}`,
          `--secure-serving=${plan.isSecure}`,
          `--tracing=${isTraced}`,
          '--v=1',
          '--drain-timeout=0s', // it is stopped behind those that ask it
          '--shutdown-timeout=5s',
        ],
        env,
      },
      print,
    );
    this.port = plan.grpcPort;
  }

  /** It listens once it knows its endpoints. @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.until(() => isListening(this.port));
  }
}

/** Its endpoints are those of the file, and the file's changes are followed. */
function withDiscovery(config: JsonObject, path: string): JsonObject {
  const { plugins } = config;
  const discovery = { type: DISCOVERY, parameters: { path, watchFile: true } };
  return {
    ...config,
    plugins: [...(Array.isArray(plugins) ? (plugins as unknown[]) : []), discovery], // the picker checks the rest
    dataLayer: { ...objectAt(config, 'dataLayer'), discovery: { pluginRef: DISCOVERY } },
  };
}
