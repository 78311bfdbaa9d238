import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { PICKER_OBJECTIVES } from './picker.objectives.ts';
import { pickerSeries } from './picker.situation.ts';
import { growing } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'epp' };
const MODEL = { model_name: 'm', target_model_name: 'm', fairness_id: 'default-flow', priority: '0' };
const MINUTES = 40;

/** Requests a minute that were asked about, and errors a minute by code. */
function requests(all: number, errors: Readonly<Record<string, string>>): Series[] {
  return [
    pickerSeries(PICKER_METRICS.requestProcessing, {}, growing(all, MINUTES), '_count'),
    ...Object.entries(errors).map(([error_code, values]) =>
      pickerSeries(PICKER_METRICS.requestErrors, { ...MODEL, error_code }, values),
    ),
  ];
}

/** Decisions a minute, and those of them that were within the budget. */
function decisions(all: string, inTime: string): Series[] {
  const { schedulerDuration } = PICKER_METRICS;
  const bucket = (le: string, values: string): Series => pickerSeries(schedulerDuration, { le }, values, '_bucket');
  return [
    bucket(String(PICKER_OBJECTIVES.decision), inTime),
    bucket('0.01', all),
    bucket('+Inf', all),
    pickerSeries(schedulerDuration, {}, all, '_count'),
  ];
}

export const PICKER_REQUESTS_CASES: readonly Situation[] = [
  {
    alert: 'PickerRefusals',
    when: 'three of a hundred requests get no endpoint and two break',
    series: requests(100, { ServiceUnavailable: growing(3, MINUTES), Unknown: growing(2, MINUTES) }),
    at: 20,
    fires: { notBefore: 5, labels: JOB, value: '5%' },
  },
  {
    alert: 'PickerRefusals',
    when: 'every other request is a probe that gets 412, and some are malformed, shed or fail on their worker',
    series: requests(100, {
      PreconditionFailed: growing(50, MINUTES),
      BadRequest: growing(10, MINUTES),
      ResourceExhausted: growing(10, MINUTES),
      ModelServerError: growing(10, MINUTES),
      Internal: growing(1, MINUTES),
    }),
    at: 20,
  },
  {
    alert: 'PickerLoadShed',
    when: 'one of ten requests is turned away',
    series: requests(100, { ResourceExhausted: growing(10, MINUTES) }),
    at: 30,
    fires: { notBefore: 10, labels: JOB, value: '10%' },
  },
  {
    alert: 'PickerLoadShed',
    when: 'a burst was shed that is over',
    series: requests(100, { ResourceExhausted: growing(20, 4, { perMinute: 0, minutes: 36 }) }),
    at: 20,
  },
  {
    alert: 'PickerDecisionsSlow',
    when: 'one of twenty decisions takes longer than the budget',
    series: decisions(growing(100, MINUTES), growing(95, MINUTES)),
    at: 30,
    fires: { notBefore: 10, labels: JOB, value: '9ms' },
  },
  {
    alert: 'PickerDecisionsSlow',
    when: 'one of two hundred does',
    series: decisions(growing(200, MINUTES), growing(199, MINUTES)),
    at: 30,
  },
  {
    alert: 'PickerDecisionsSlow',
    when: 'there are hardly any decisions, and those are slow',
    series: decisions(growing(2, MINUTES), growing(0, MINUTES)),
    at: 30,
  },
];
