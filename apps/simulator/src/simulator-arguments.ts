import { parseArgs } from 'node:util';
import { readTree } from '#config';
import { simulatorSchema } from './simulator.config.ts';
import type { SimulatorConfig } from './simulator.config.ts';

export const HELP = `Simulated vLLM workers, render service and gateway.

  node dist/apps/simulator/main.js --config FILE      what the file names, in one process
  node dist/apps/simulator/main.js --role ROLE ...    one server

  --role worker|render|gateway|media
  --host HOST              127.0.0.1
  --port PORT              0, a free one
  --worker-role ROLE       encode, prefill, decode or all (all)
  --kv CONNECTOR           nixl, shared-storage or sglang (nixl)
  --ec CONNECTOR           nixl, shared-storage or none (nixl)
  --kwargs-bytes N         tensor bytes of each image that render answers with
  --coordinator URL        gateway: where requests without the profile header go
  --picker HOST:PORT       gateway: the endpoint picker that says which worker serves a call
  --encode, --prefill, --decode URL
                           gateway: a worker of that role; repeatable
  --help

Faults: PUT /simulator/faults on any of its ports, a JSON list such as
  [{"phase": "decode", "kind": "reset", "after_events": 3, "times": 1}]
`;

const OPTIONS = {
  help: { type: 'boolean', default: false },
  config: { type: 'string' },
  role: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'worker-role': { type: 'string' },
  kv: { type: 'string' },
  ec: { type: 'string' },
  'kwargs-bytes': { type: 'string' },
  coordinator: { type: 'string' },
  picker: { type: 'string' },
  encode: { type: 'string', multiple: true },
  prefill: { type: 'string', multiple: true },
  decode: { type: 'string', multiple: true },
} as const;

/**
 * What to start; undefined when help was asked for.
 * @throws Error for an unknown flag, an unreadable file or a bad value
 */
export function simulatorArguments(argv: readonly string[]): SimulatorConfig | undefined {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
  if (values.help) return undefined;
  if (values.config !== undefined) return simulatorSchema.parse(readTree({ file: values.config }).values);
  const { role, host, port, kv, ec } = values;
  const server = defined({ port: number(port) });
  const workerRole = values['worker-role'] ?? 'all';
  const { coordinator, picker, encode, prefill, decode } = values;
  const servers: Readonly<Record<string, object>> = {
    worker: { workers: [{ role: workerRole, ...server }] },
    render: { render: { ...server, ...defined({ kwargs_bytes: number(values['kwargs-bytes']) }) } },
    gateway: {
      gateway: { ...server, ...defined({ coordinator, picker }), endpoints: defined({ encode, prefill, decode }) },
    },
    media: { media: server },
  };
  const chosen = role === undefined ? undefined : servers[role];
  if (chosen === undefined) throw new Error(`--config FILE or --role ${Object.keys(servers).join('|')} is needed`);
  return simulatorSchema.parse({ ...defined({ host, kv, ec }), ...chosen });
}

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
