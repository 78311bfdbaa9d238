import { parseArgs } from 'node:util';

export const HELP = `Coordinator and simulated cluster, in one terminal.

  npm run up                        start it; Ctrl-C stops it
  npm run up -- --demo              send three requests, show what became of each, stop

  --traces                          print every request's span tree when it has ended
  --prometheus                      install Prometheus (Debian's package) if it is not there; it is
                                    started anyway where it is, but for --demo
  --no-prometheus                   do not start it

  --port-offset N                   add N to every port that --port does not set
  --port PART=N                     one port: gateway, coordinator, metrics, render, media,
                                    prometheus, or a worker (encode, prefill, decode); repeatable
  --coordinator-config FILE         config/local/coordinator.yaml
  --simulator-config FILE           config/local/simulator.yaml
  --quiet                           no examples and no line per request
  --help
`;

export interface StackArguments {
  readonly help: boolean;
  readonly demo: boolean;
  readonly quiet: boolean;
  readonly traces: boolean;
  /** Undefined: where it is there, and somebody stays to look at it. */
  readonly prometheus: boolean | undefined;
  readonly portOffset: number;
  /** Ports by part; the offset does not move these. */
  readonly ports: Readonly<Record<string, number>>;
  readonly coordinatorConfig: string;
  readonly simulatorConfig: string;
}

const OPTIONS = {
  help: { type: 'boolean', default: false },
  demo: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  traces: { type: 'boolean', default: false },
  prometheus: { type: 'boolean' },
  'port-offset': { type: 'string', default: '0' },
  port: { type: 'string', multiple: true, default: [] as string[] },
  'coordinator-config': { type: 'string', default: 'config/local/coordinator.yaml' },
  'simulator-config': { type: 'string', default: 'config/local/simulator.yaml' },
} as const;

/** @throws Error for an unknown flag or a bad number */
export function stackArguments(argv: readonly string[]): StackArguments {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowNegative: true });
  return {
    help: values.help,
    demo: values.demo,
    quiet: values.quiet,
    traces: values.traces,
    prometheus: values.prometheus,
    portOffset: integer(values['port-offset'], '--port-offset'),
    ports: Object.fromEntries(
      values.port.map((text) => {
        const [part = '', port = ''] = text.split('=');
        return [part, integer(port, `--port ${text}`)];
      }),
    ),
    coordinatorConfig: values['coordinator-config'],
    simulatorConfig: values['simulator-config'],
  };
}

function integer(text: string, flag: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`${flag}: a whole number is needed`);
  return Number(text);
}
