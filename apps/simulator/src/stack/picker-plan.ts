import { readTree } from '#config';
import type { JsonObject } from '../control/json-value.ts';
import { PROFILES } from '../gateway/endpoint-pool.ts';
import type { Profile } from '../gateway/endpoint-pool.ts';
import type { WorkerRole } from '../simulator.config.ts';
import type { PortTable } from './port-table.ts';
import type { StackArguments } from './stack-arguments.ts';

/** A worker as a picker's file of endpoints has it. */
export interface WorkerEndpoint {
  readonly name: string;
  readonly address: string;
  readonly port: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** An endpoint picker to start. */
export interface PickerPlan {
  /** Its part: `picker`, or `picker-decode`. */
  readonly name: string;
  /** What it is asked about. */
  readonly phases: readonly Profile[];
  /** Its file, without where its endpoints come from. */
  readonly config: JsonObject;
  readonly endpoints: readonly WorkerEndpoint[];
  readonly grpcPort: number;
  readonly adminPort: number;
  /** Whether it is asked over TLS, as Envoy does. */
  readonly isSecure: boolean;
}

/** Of pickers, which have no file to name them: the next picker has the next free ones. */
const GRPC_PORT = 9002;
const ADMIN_PORT = 9092;

/** One picker for all phases, or one for each. @throws Error for an unreadable file */
export function pickerPlans(
  args: Pick<StackArguments, 'pickers' | 'pickerConfig' | 'envoy'>,
  endpoints: readonly WorkerEndpoint[],
  ports: PortTable,
): PickerPlan[] {
  const pickers: readonly Pick<PickerPlan, 'name' | 'phases'>[] =
    args.pickers === 1
      ? [{ name: 'picker', phases: PROFILES }]
      : PROFILES.map((phase) => ({ name: `picker-${phase}`, phases: [phase] }));
  return pickers.map(({ name, phases }, index) => ({
    name,
    phases,
    config: readTree({ file: args.pickers === 1 ? args.pickerConfig : `config/epp/${phases.join('')}.yaml` }).values,
    endpoints,
    adminPort: ports.place(name, ADMIN_PORT + index),
    grpcPort: ports.place(`${name}-grpc`, GRPC_PORT + index),
    isSecure: args.envoy,
  }));
}

/** One value for each phase: that of its picker. */
export function byPhase<Value>(
  plans: readonly PickerPlan[],
  value: (plan: PickerPlan) => Value,
): Readonly<Record<Profile, Value>> {
  const of = (phase: Profile): Value => {
    const plan = plans.find(({ phases }) => phases.includes(phase));
    if (plan === undefined) throw new Error(`there is no picker for ${phase}`);
    return value(plan);
  };
  return { encode: of('encode'), prefill: of('prefill'), decode: of('decode') };
}

/** A worker, labelled by what it does; the samples for sidecars tell pods apart by the shorter label. */
export function workerEndpoint(name: string, role: WorkerRole, address: string, port: number): WorkerEndpoint {
  const does = role === 'all' ? 'encode-prefill-decode' : role;
  return { name, address, port: String(port), labels: { 'llm-d.ai/role': does, role: does } };
}
