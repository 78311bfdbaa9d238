import { describe, expect, it } from '@jest/globals';
import {
  BadRequestError,
  ClientClosedError,
  DrainingError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from '#foundation';
import { CalledOffError, endOf, failureOf, isGood } from './stage-failure.ts';

describe('endOf', () => {
  it.each([
    [200, undefined],
    [299, undefined],
    [302, 'status_3xx'],
    [400, 'status_4xx'],
    [499, 'status_4xx'],
    [500, 'status_5xx'],
    [503, 'status_5xx'],
  ])('of %d has the failure %s', (status, failure) => {
    expect(endOf(status)).toEqual({ status, failure });
    expect(isGood(status)).toBe(failure === undefined);
  });
});

describe('failureOf', () => {
  it.each<[string, unknown]>([
    ['refused', new UpstreamConnectionError('prefill', 'refused')],
    ['reset', new UpstreamConnectionError('prefill', 'reset')],
    ['timeout', new UpstreamTimeoutError('prefill', 'x')],
    ['status_5xx', new UpstreamError('prefill', 500)],
    ['status_4xx', new UpstreamError('prefill', 422)],
    ['invalid_answer', new UpstreamAnswerError('prefill', 'x')],
    ['client_closed', new ClientClosedError()],
    ['drained', new DrainingError()],
    ['called_off', new CalledOffError()],
    ['bad_request', new BadRequestError('invalid_value', 'x')],
    ['invalid_answer', new InternalError()],
    ['invalid_answer', 'not an error'],
  ])('is %s for %s', (word, error) => {
    expect(failureOf(error)).toBe(word);
  });
});
