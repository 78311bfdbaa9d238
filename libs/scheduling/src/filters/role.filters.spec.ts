import { describe, expect, it } from '@jest/globals';
import { aCandidate, aRequest } from '../scheduling.fixture.ts';
import { DecodeFilter, EncodeFilter, PrefillFilter } from './role.filters.ts';

const FILTERS = [
  { stage: 'decode', filter: new DecodeFilter() },
  { stage: 'prefill', filter: new PrefillFilter() },
  { stage: 'encode', filter: new EncodeFilter() },
];

/** The stages that take a pod with these labels. */
function stagesOf(labels: Readonly<Record<string, string>>): readonly string[] {
  const pod = aCandidate({ labels });
  return FILTERS.filter(({ filter }) => filter.filter(aRequest(), [pod]).length > 0).map(({ stage }) => stage);
}

describe('role filters', () => {
  it.each([
    { role: 'decode', stages: ['decode'] },
    { role: 'prefill', stages: ['prefill'] },
    { role: 'encode', stages: ['encode'] },
    { role: 'prefill-decode', stages: ['decode', 'prefill'] },
    { role: 'both', stages: ['decode', 'prefill'] },
    { role: 'encode-prefill', stages: ['prefill', 'encode'] },
    { role: 'encode-decode', stages: ['decode', 'encode'] },
    { role: 'encode-prefill-decode', stages: ['decode', 'prefill', 'encode'] },
    { role: 'Decode', stages: [] },
    { role: '', stages: [] },
  ])('let a pod with role "$role" through for $stages', ({ role, stages }) => {
    expect(stagesOf({ 'llm-d.ai/role': role })).toEqual(stages);
  });

  it('let a pod without a role through for decode only', () => {
    expect(stagesOf({ app: 'vllm' })).toEqual(['decode']);
  });
});
