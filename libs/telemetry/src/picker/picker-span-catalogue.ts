import type { ATTRIBUTES } from '../attributes.ts';
import type { PICKER_ATTRIBUTES } from './picker-attributes.ts';

/** A kind of span of the endpoint picker as data; what stands in angle brackets differs from span to span. */
export interface PickerSpanSpec {
  readonly name: string;
  /** Name of the span that it stands beneath; undefined for the outermost. */
  readonly parent: string | undefined;
  readonly when: string;
  readonly attributes: readonly (keyof typeof ATTRIBUTES | keyof typeof PICKER_ATTRIBUTES)[];
}

/** Every span of the endpoint picker, from the outside in (`epp.md` 8.5). Docs are made of it, and a test compares both. */
export const PICKER_SPANS = [
  {
    name: 'gateway.request',
    parent: undefined,
    when: 'Each request, from its headers to the end of its answer, beneath the trace that it came with.',
    attributes: ['requestId', 'requestModel', 'profile', 'endpoint', 'status', 'outcome', 'errorType'],
  },
  {
    name: 'request_orchestration',
    parent: 'gateway.request',
    when: 'From the last byte of the body to the decision, or the refusal.',
    attributes: ['requestModel', 'priority', 'profile', 'endpoint', 'errorType'],
  },
  {
    name: 'pick_disagg_profile',
    parent: 'request_orchestration',
    when: 'Each time that `disagg-profile-handler` is asked which profile is next; the last time there is none.',
    attributes: ['executedProfiles', 'selectedProfile'],
  },
  {
    name: 'run_scheduler_profile',
    parent: 'request_orchestration',
    when: 'Each profile that is run.',
    attributes: ['profile', 'errorType'],
  },
  {
    name: 'filter_endpoints',
    parent: 'run_scheduler_profile',
    when: 'All filters of a profile together.',
    attributes: ['filterCandidates', 'filtered'],
  },
  {
    name: 'llm_d.epp.scoring',
    parent: 'run_scheduler_profile',
    when: 'All scorers of a profile together.',
    attributes: ['scoringCandidates', 'scorerCount'],
  },
  {
    name: 'llm_d.epp.scorer.<type>',
    parent: 'llm_d.epp.scoring',
    when: 'Each scorer.',
    attributes: ['scorerType', 'scorerName', 'scorerWeight', 'scoreMax', 'scoreMean', 'scored'],
  },
  {
    name: 'pick_endpoints',
    parent: 'run_scheduler_profile',
    when: "A profile's choice among those that are left.",
    attributes: ['pickerCandidates', 'picked', 'pickedScores'],
  },
  {
    name: 'prepare_disaggregation',
    parent: 'request_orchestration',
    when: 'With `disagg-profile-handler`: plugins act on the result, and headers name the workers of the stages.',
    attributes: [
      ...(['requestModel', 'requestId', 'prefillUsed', 'prefillReason', 'prefillAddress', 'prefillPort'] as const),
      ...(['encodeUsed', 'encodeReason', 'encodeEndpoints'] as const),
    ],
  },
] as const satisfies readonly PickerSpanSpec[];
