import { CONCURRENT_KV_CONNECTORS, DEFAULT_CONNECTORS, kvConnectorName } from '#connectors';
import type { PipelineProblem } from '#pipeline';

/** The parts of the `pipeline` section that decide which step uses which KV connector, as they stand in the file. */
export interface RawKvConnectors {
  readonly kv_connector?: unknown;
  readonly steps?: unknown;
}

interface ConnectedStep {
  readonly type: string;
  /** The name in force: the step's own, the deployment's, or the default. */
  readonly connector: string;
  /** Where that is decided in the file. */
  readonly path: string;
}

const CONCURRENT = 'prefill-decode';
const SERIAL: ReadonlySet<string> = new Set(['prefill', 'decode']);

/**
 * Steps whose KV connector is of the other kind. `prefill-decode` takes those whose workers run at the same time. `prefill` and
 * `decode` take any where they are alone; beside `prefill-decode` they are refused what is its own.
 * @see coordinator.md C.8, D.1, docs/decisions/0014-a-step-for-workers-that-run-at-once.md
 */
export function kvConnectorProblems(raw: RawKvConnectors): PipelineProblem[] {
  const steps = connectedSteps(raw);
  const hasConcurrent = steps.some(({ type }) => type === CONCURRENT);
  return steps.flatMap(({ type, connector, path }) => {
    const isConcurrent = CONCURRENT_KV_CONNECTORS.has(connector);
    if (type === CONCURRENT && !isConcurrent) {
      const message = `${type}: kv_connector "${connector}" sends prefill and decode one after the other; use the "prefill" and "decode" steps`;
      return { path, message };
    }
    if (!SERIAL.has(type) || !hasConcurrent || !isConcurrent) return [];
    const message = `${type}: kv_connector "${connector}" sends prefill and decode at the same time; use the "${CONCURRENT}" step alone`;
    return { path, message };
  });
}

/** What to tell once where prefill and decode run one after the other with a connector whose workers wait for each other. */
export function kvConnectorWarning(raw: RawKvConnectors): string | undefined {
  const steps = connectedSteps(raw).filter(({ type }) => SERIAL.has(type));
  const isServed = steps.some(({ type }) => type === 'prefill');
  const found = steps.find(({ connector }) => CONCURRENT_KV_CONNECTORS.has(connector));
  if (!isServed || found === undefined) return undefined;
  const { type, connector } = found;
  return `${type}: workers of kv_connector "${connector}" wait for each other, and the steps "prefill" and "decode" run one after the other; the "${CONCURRENT}" step runs them at the same time`;
}

/** Steps with a connector that there is; what is wrong with another name is told where it is checked. */
function connectedSteps({ kv_connector: deployment, steps }: RawKvConnectors): ConnectedStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown, index) => {
    const type = member(step, 'type');
    if (typeof type !== 'string' || (type !== CONCURRENT && !SERIAL.has(type))) return [];
    const own = member(member(step, 'params'), 'kv_connector') ?? '';
    const connector = [own, deployment ?? '', DEFAULT_CONNECTORS.kv].find((name) => name !== '');
    const path = own === '' ? `pipeline.steps[${index}]` : `pipeline.steps[${index}].params.kv_connector`;
    return typeof connector === 'string' && kvConnectorName.safeParse(connector).success
      ? [{ type, connector, path }]
      : [];
  });
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
