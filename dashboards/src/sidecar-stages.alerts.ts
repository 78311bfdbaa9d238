import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { all, block, portion } from './expression.ts';
import type { Histogram } from './queries.ts';
import type { AlertRule, RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';
import { LOST_HANDOVER, SIDECAR_OBJECTIVES, STAGE_FAULTS } from './sidecar.objectives.ts';

/** Streams in ten minutes below which the slowest of twenty are two or three that came first. */
const LEAST_STREAMS = 100;
/** Workers in a quarter of an hour: a pod that leaves its pool may still be named for a moment. */
const FEW_DENIED = 5;

const PERCENT = `{{ $value | humanizePercentage }}`;

/** Runs of a stage that failed by a fault of its workers, as a share of all that were begun. */
function faultShare(stage: 'encode' | 'prefill' | 'decode', all: string): string {
  const faults = byJob.rate(SIDECAR_METRICS.stageErrors, { where: { stage, reason: STAGE_FAULTS } });
  return `${portion(faults, all)} > ${SIDECAR_OBJECTIVES.stageFaults}`;
}

/** The duration of a remote stage is that of runs that came off. */
function remoteRuns(stage: 'encode' | 'prefill', duration: Histogram): string {
  return block([byJob.observations(duration), '+', byJob.rate(SIDECAR_METRICS.stageErrors, { where: { stage } })]);
}

const { encodeDuration, prefillDuration, decodeDuration, timeToFirstToken, skipped, denied } = SIDECAR_METRICS;

const STAGE_ALERTS: readonly AlertRule[] = [
  {
    alert: 'SidecarEncodeErrors',
    expr: faultShare('encode', remoteRuns('encode', encodeDuration)),
    for: '5m',
    severity: 'critical',
    summary: `${PERCENT} of encode stages of {{ $labels.job }} fail.`,
    description:
      'Their requests get 502. The encode workers that the endpoint picker names do not do what they should.',
  },
  {
    alert: 'SidecarPrefillErrors',
    expr: faultShare('prefill', remoteRuns('prefill', prefillDuration)),
    for: '5m',
    severity: 'critical',
    summary: `${PERCENT} of remote prefills of {{ $labels.job }} fail.`,
    description:
      'Their requests fail with them, or decode waits for blocks that never come, where prefill runs beside decode.',
  },
  {
    alert: 'SidecarDecodeErrors',
    expr: faultShare('decode', byJob.observations(decodeDuration)),
    for: '5m',
    severity: 'critical',
    summary: `${PERCENT} of decodes of {{ $labels.job }} fail.`,
    description: 'The engines beside refuse connections, fail, or break off answers that have begun.',
  },
];

/** Alerts on the stages of requests. */
export const SIDECAR_STAGES_GROUP: RuleGroup = {
  name: 'sidecar-stages',
  rules: [
    ...STAGE_ALERTS,
    {
      alert: 'SidecarKvHandoverLost',
      expr: `${portion(
        byJob.over('10m').rate(skipped, { where: { reason: LOST_HANDOVER } }),
        byJob.over('10m').observations(prefillDuration),
      )} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: `${PERCENT} of prefills tell {{ $labels.job }} nothing of their blocks.`,
      description: 'Decode computes those prompts again. Requests are answered as ever, for twice the work.',
    },
    {
      alert: 'SidecarTargetsDenied',
      expr: `${byJob.over('15m').increase(denied, { by: ['role'] })} > ${FEW_DENIED}`,
      for: '5m',
      severity: 'warning',
      summary:
        '{{ $labels.job }} was told to call {{ $value | humanize }} workers for {{ $labels.role }} that it may not call.',
      description: 'The endpoint picker names workers of the pool alone: somebody else sets the routing headers.',
    },
    {
      alert: 'SidecarFirstTokenSlow',
      expr: all(
        `${byJob.over('10m').quantile(0.95, timeToFirstToken)} > ${SIDECAR_OBJECTIVES.firstToken}`,
        `${byJob.over('10m').observed(timeToFirstToken)} > ${LEAST_STREAMS}`,
      ),
      for: '10m',
      severity: 'warning',
      summary:
        'One of twenty streams of {{ $labels.job }} waits more than {{ $value | humanizeDuration }} for its first token.',
      description: `The budget is ${SIDECAR_OBJECTIVES.firstToken} s, remote stages included.`,
    },
  ],
};
