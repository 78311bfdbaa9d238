import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { labelOf } from '../endpoint.ts';
import type { Filter } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const values = z.array(z.string()).min(1);
const expression = z.discriminatedUnion('operator', [
  z.strictObject({ key: z.string().min(1), operator: z.literal(['In', 'NotIn']), values }),
  z.strictObject({
    key: z.string().min(1),
    operator: z.literal(['Exists', 'DoesNotExist']),
    values: z.array(z.string()).max(0).optional(),
  }),
]);

/** A Kubernetes LabelSelector. */
export const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}),
    matchExpressions: z.array(expression).default([]),
  })
  .prefault({});

export type LabelSelector = z.output<typeof labelSelector>;

/** Whether the labels satisfy all of the selector; an empty one is satisfied by any. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const valueOf = (key: string): string | undefined => labelOf({ labels }, key);
  const isEqual = Object.entries(selector.matchLabels).every(([key, value]) => valueOf(key) === value);
  return isEqual && selector.matchExpressions.every((one) => holds(one, valueOf(one.key)));
}

function holds(one: LabelSelector['matchExpressions'][number], value: string | undefined): boolean {
  switch (one.operator) {
    case 'In':
      return value !== undefined && one.values.includes(value);
    case 'NotIn':
      return value === undefined || !one.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** Endpoints that a selector of labels selects. */
@SchedulingPlugin({ type: 'label-selector-filter', formerly: ['by-label-selector'], parameters: labelSelector })
export class LabelSelectorFilter implements Filter {
  constructor(private readonly selector: LabelSelector) {}

  filter(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[] {
    return candidates.filter(({ endpoint }) => selects(this.selector, endpoint.labels));
  }
}
