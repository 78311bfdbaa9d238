import { describe, expect, it } from '@jest/globals';
import { SchedulingError } from './scheduling.error.ts';
import type { RefusalCode } from './scheduling.error.ts';

describe('SchedulingError', () => {
  it.each<[RefusalCode, number]>([
    ['BadRequest', 400],
    ['PreconditionFailed', 412],
    ['ResourceExhausted', 429],
    ['Internal', 500],
    ['ServiceUnavailable', 503],
  ])('answers %s with %i and its text', (code, status) => {
    const error = new SchedulingError(code, 'the reason');
    expect(error.status).toBe(status);
    expect(error.body).toBe(`inference error: ${code} - the reason`);
  });
});
