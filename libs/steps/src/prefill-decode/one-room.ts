import { isOneSequence, roomConflict } from '#connectors';
import { BadRequestError } from '#foundation';
import type { PipelineRequest } from '#pipeline';

/**
 * Refuses what makes several sequences of a request: its workers meet once, and a second sequence would wait for ever.
 * @throws BadRequestError
 * @see docs/decisions/0014-a-step-for-workers-that-run-at-once.md
 */
export function checkOneRoom({ body, format }: PipelineRequest): void {
  const conflict = roomConflict(body);
  if (conflict === 'batched_prompt') {
    throw new BadRequestError('batched_prompt', 'batched prompts are not supported', { param: 'prompt' });
  }
  if (conflict !== undefined) throw severalSequences('n');
  const sampling = format === 'generate' ? body.get('sampling_params') : undefined;
  if (sampling?.kind === 'object' && !isOneSequence(sampling.member('n'))) throw severalSequences('sampling_params.n');
}

function severalSequences(param: string): BadRequestError {
  return new BadRequestError('invalid_value', `${param} must be 1: prefill and decode run at once for one sequence`, {
    param,
  });
}
