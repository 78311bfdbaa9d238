import type { Stage } from '#disaggregation';
import type { OptionChecks } from './option.checks.ts';
import { poolName } from './pool-name.ts';
import type { FlagsOf } from './setting.sources.ts';
import type { ProtectedPool, SidecarOptions } from './sidecar.options.ts';

const STAGES: Readonly<Record<string, Stage>> = { prefiller: 'prefill', decoder: 'decode', encoder: 'encode' };
const POOL_GROUPS = ['inference.networking.k8s.io', 'inference.networking.x-k8s.io'];
const DEFAULT_IDLE = 1024;

/** Who is called, and how. */
export function callingOptions(
  checks: OptionChecks,
): Pick<SidecarOptions, 'secureStages' | 'unverifiedStages' | 'maxIdlePerHost' | 'pool'> {
  const idle = checks.sources.integer('max-idle-conns-per-host');
  return {
    secureStages: stagesOf(checks, 'enable-tls'),
    unverifiedStages: stagesOf(checks, 'tls-insecure-skip-verify'),
    maxIdlePerHost: idle > 0 ? idle : DEFAULT_IDLE,
    pool: poolOf(checks),
  };
}

function stagesOf(checks: OptionChecks, flag: FlagsOf<readonly string[] | undefined>): ReadonlySet<Stage> {
  const given = checks.sources.list(flag);
  const stages = given.map((name) => (Object.hasOwn(STAGES, name) ? STAGES[name] : undefined));
  const wrong = given.filter((_, index) => stages[index] === undefined);
  if (wrong.length > 0) {
    checks.fault(
      flag,
      `--${flag} must be one of: ${Object.keys(STAGES).join(', ')}, got ${wrong.join(', ').slice(0, 64)}`,
    );
  }
  return new Set(stages.filter((stage) => stage !== undefined));
}

function poolOf(checks: OptionChecks): ProtectedPool | undefined {
  const { sources } = checks;
  const text = sources.text('inference-pool');
  const pool = text === undefined ? undefined : poolName(text);
  if (text !== undefined && pool === undefined) {
    checks.fault('inference-pool', '--inference-pool must be namespace/name, or a name in the namespace default');
  }
  if (!sources.isOn('enable-ssrf-protection')) return undefined;
  if (text === undefined) {
    checks.fault('enable-ssrf-protection', '--enable-ssrf-protection requires --inference-pool (or INFERENCE_POOL)');
  }
  const group = sources.text('pool-group') ?? '';
  if (!POOL_GROUPS.includes(group)) {
    checks.fault('pool-group', `--pool-group must be one of: ${POOL_GROUPS.join(', ')}`);
  }
  return pool === undefined ? undefined : { ...pool, group };
}
