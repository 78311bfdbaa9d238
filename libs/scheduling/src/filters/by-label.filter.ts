import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { labelOf } from '../endpoint.ts';
import type { Filter } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const byLabelParams = z
  .strictObject({
    label: z.string().min(1),
    validValues: z.array(z.string()).default([]),
    allowsNoLabel: z.boolean().default(false),
  })
  .refine(({ validValues, allowsNoLabel }) => validValues.length > 0 || allowsNoLabel, {
    path: ['validValues'],
    error: 'has to list a value, or allowsNoLabel has to be true',
  });

type ByLabelParams = z.output<typeof byLabelParams>;

/** One label with one of the listed values. */
@SchedulingPlugin({ type: 'by-label', parameters: byLabelParams, deprecatedBy: 'label-selector-filter' })
export class ByLabelFilter implements Filter {
  constructor(private readonly params: ByLabelParams) {}

  filter(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly Candidate[] {
    const { label, validValues, allowsNoLabel } = this.params;
    return candidates.filter(({ endpoint }) => {
      const value = labelOf(endpoint, label);
      return value === undefined ? allowsNoLabel : validValues.includes(value);
    });
  }
}
