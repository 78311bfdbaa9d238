import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import type { Histogram } from './queries.ts';
import { SIDECAR_OBJECTIVES } from './sidecar.objectives.ts';
import { sidecarSeries } from './sidecar.situation.ts';
import { growing } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'sidecar' };
const MINUTES = 40;
type Stage = 'encode' | 'prefill' | 'decode';

const DURATIONS = {
  encode: SIDECAR_METRICS.encodeDuration,
  prefill: SIDECAR_METRICS.prefillDuration,
  decode: SIDECAR_METRICS.decodeDuration,
} as const satisfies Record<Stage, Histogram>;

/** Runs a minute that were timed, and failures a minute by why. */
function stage(name: Stage, timed: number, failures: Readonly<Record<string, number>>): Series[] {
  return [
    sidecarSeries(DURATIONS[name], {}, growing(timed, MINUTES), '_count'),
    ...Object.entries(failures).map(([reason, perMinute]) =>
      sidecarSeries(SIDECAR_METRICS.stageErrors, { stage: name, reason }, growing(perMinute, MINUTES)),
    ),
  ];
}

/** Failures that are the client's, or that come of stopping the pod. */
const OTHERS = { status_4xx: 10, bad_request: 10, client_closed: 30, drained: 10 };

function stageCases(alert: Situation['alert'], name: Stage): readonly Situation[] {
  // of a remote stage, only what came off is timed
  const timed = name === 'decode' ? 100 : 95;
  return [
    {
      alert,
      when: `of a hundred runs of ${name}, three fail, one is refused and one breaks off`,
      series: stage(name, timed, { status_5xx: 3, refused: 1, reset: 1 }),
      at: 20,
      fires: { notBefore: 5, labels: JOB, value: '5%' },
    },
    {
      alert,
      when: `clients leave, and send what ${name} refuses`,
      series: stage(name, 100, { ...OTHERS, status_5xx: 1 }),
      at: 20,
    },
    {
      alert,
      when: 'another stage fails',
      series: [...stage(name, 100, {}), ...stage(name === 'encode' ? 'prefill' : 'encode', 0, { status_5xx: 50 })],
      at: 20,
    },
  ];
}

function handover(reason: string, values: string): Series[] {
  return [
    sidecarSeries(SIDECAR_METRICS.prefillDuration, {}, growing(100, MINUTES), '_count'),
    sidecarSeries(SIDECAR_METRICS.skipped, { reason }, values),
  ];
}

/** Streams a minute, and those of them whose first token came within the budget. */
function streams(all: number, inTime: number): Series[] {
  const { timeToFirstToken } = SIDECAR_METRICS;
  const of = (values: number, le: string): Series =>
    sidecarSeries(timeToFirstToken, { disagg_type: 'prefill-decode', le }, growing(values, MINUTES), '_bucket');
  return [
    of(inTime, String(SIDECAR_OBJECTIVES.firstToken)),
    of(all, '5'),
    of(all, '+Inf'),
    sidecarSeries(timeToFirstToken, { disagg_type: 'prefill-decode' }, growing(all, MINUTES), '_count'),
  ];
}

export const SIDECAR_STAGES_CASES: readonly Situation[] = [
  ...stageCases('SidecarEncodeErrors', 'encode'),
  ...stageCases('SidecarPrefillErrors', 'prefill'),
  ...stageCases('SidecarDecodeErrors', 'decode'),
  {
    alert: 'SidecarKvHandoverLost',
    when: 'one of ten prefills says nothing of its blocks',
    series: handover('no_kv_params', growing(10, MINUTES)),
    at: 30,
    fires: { notBefore: 10, labels: JOB, value: '10%' },
  },
  {
    alert: 'SidecarKvHandoverLost',
    when: 'prompts are computed where they are decoded, since they ask for log probabilities',
    series: handover('prompt_logprobs', growing(50, MINUTES)),
    at: 30,
  },
  {
    alert: 'SidecarTargetsDenied',
    when: 'a prefill worker that is not in the pool is named once a minute',
    series: [sidecarSeries(SIDECAR_METRICS.denied, { role: 'prefill' }, growing(1, MINUTES))],
    at: 30,
    fires: { notBefore: 8, labels: { ...JOB, role: 'prefill' }, value: '15' },
  },
  {
    alert: 'SidecarTargetsDenied',
    when: 'a pod has left its pool and is named three times more',
    series: [sidecarSeries(SIDECAR_METRICS.denied, { role: 'prefill' }, growing(1, 3, { perMinute: 0, minutes: 37 }))],
    at: 12,
  },
  {
    alert: 'SidecarFirstTokenSlow',
    when: 'one of ten streams waits longer than the budget',
    series: streams(100, 90),
    at: 30,
    fires: { notBefore: 10, labels: JOB, value: '3.75s' },
  },
  {
    alert: 'SidecarFirstTokenSlow',
    when: 'one of fifty does',
    series: streams(100, 98),
    at: 30,
  },
  {
    alert: 'SidecarFirstTokenSlow',
    when: 'there are hardly any streams, and those are slow',
    series: streams(2, 0),
    at: 30,
  },
];
