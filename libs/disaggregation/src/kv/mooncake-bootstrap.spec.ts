import { describe, expect, it } from '@jest/globals';
import { CoordinatorError, UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { disaggErrorResponse } from '../disagg-error-response.ts';
import { bootstrapFailure } from './mooncake-bootstrap.ts';

describe('bootstrapFailure', () => {
  it.each([new UpstreamTimeoutError('prefill', 'x'), new UpstreamConnectionError('prefill', 'refused')])(
    'is a 502 for %s',
    (error) => {
      const failure = bootstrapFailure(error);
      if (!(failure instanceof CoordinatorError)) throw new Error('an error of ours');
      expect(disaggErrorResponse(failure, 'r').status).toBe(502);
    },
  );
});
