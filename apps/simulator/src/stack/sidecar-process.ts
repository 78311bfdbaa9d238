import { ChildProgram } from './child-program.ts';
import { programEnvironment } from './program-environment.ts';
import type { Variables } from './program-environment.ts';
import type { SidecarPlan } from './sidecar-plan.ts';

/** What the endpoint picker knows the workers of one machine by. */
const POD_IP = '127.0.0.1';

/** The built decode sidecar as a process of its own, before a worker of the stack. */
export class SidecarProcess extends ChildProgram {
  private readonly url: string;

  /**
   * @param print gets each line that the process writes
   * @param tracing variables that switch tracing on; undefined: off, unless the environment names an exporter
   */
  constructor(main: string, plan: SidecarPlan, print: (line: string) => void, tracing?: Variables) {
    const env = programEnvironment(tracing);
    const isTraced = env['OTEL_TRACES_EXPORTER'] !== undefined;
    const { kv_connector, ec_connector, bootstrap_port, p2p_port, p2p_key_style } = plan.workers;
    super(
      {
        name: `the decode sidecar (${plan.name})`,
        command: process.execPath,
        files: () => ({}),
        args: () => [
          main,
          '--secure-proxy=false',
          `--port=${plan.port}`,
          `--model-server-port=${plan.enginePort}`,
          `--metrics-port=${plan.metricsPort}`,
          `--kv-connector=${kv_connector}`,
          ...(ec_connector === undefined ? [] : [`--ec-connector=${ec_connector}`]),
          `--mooncake-bootstrap-port=${bootstrap_port}`,
          `--p2p-connector-port=${p2p_port}`,
          `--p2p-key-style=${p2p_key_style}`,
          `--tracing=${isTraced}`,
          '--zap-log-level=error', // a line for each request is printed anyway
          '--shutdown-timeout=5s',
        ],
        env: { ...env, POD_IP, SGLANG_BOOTSTRAP_PORT: String(bootstrap_port) },
      },
      print,
    );
    this.url = `http://127.0.0.1:${plan.port}`;
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.answers(`${this.url}/health`);
  }
}
