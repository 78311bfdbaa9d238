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
import { bodyFailure, callFailure, errorLabel, statusLabel } from './error-label.ts';
import { ERROR_CODES } from './label-values.ts';

const drain = new DrainingError();
const left = new ClientClosedError();

describe('errorLabel', () => {
  it.each([
    [new BadRequestError('invalid_body', 'x'), 'bad_request'],
    [new BadRequestError('body_too_large', 'x'), 'bad_request'],
    [new UpstreamError('prefill', 400), 'upstream_4xx'],
    [new UpstreamError('prefill', 499), 'upstream_4xx'],
    [new UpstreamError('prefill', 302), 'upstream_5xx'],
    [new UpstreamError('prefill', 500), 'upstream_5xx'],
    [new UpstreamError('prefill', 503), 'upstream_5xx'],
    [new UpstreamAnswerError('render', 'x'), 'upstream_5xx'],
    [new UpstreamConnectionError('decode', 'refused'), 'upstream_transport'],
    [new UpstreamConnectionError('decode', 'reset'), 'upstream_transport'],
    [new UpstreamTimeoutError('decode', 'gateway.timeout'), 'upstream_transport'],
    [new ClientClosedError(), 'client_closed'],
    [new DrainingError(), 'internal'],
    [new InternalError(), 'internal'],
    [new TypeError('x'), 'internal'],
    ['thrown', 'internal'],
    [undefined, 'internal'],
  ])('of %p is %s', (error, label) => {
    expect(errorLabel(error)).toBe(label);
    expect(ERROR_CODES).toContain(errorLabel(error));
  });
});

describe('callFailure', () => {
  const reset = new UpstreamConnectionError('encode[1]', 'reset');

  it.each([
    ['is its own while nobody has given it up', AbortSignal.any([]), reset, 'upstream_transport'],
    [
      'is its own when it comes before another is told',
      AbortSignal.abort(new InternalError()),
      reset,
      'upstream_transport',
    ],
    ['is that one beside it failed', AbortSignal.abort(reset), reset, 'cancelled'],
    ['is that the process ends', AbortSignal.abort(drain), drain, 'cancelled'],
    ['is that the client has left', AbortSignal.abort(left), left, 'client_closed'],
  ])('%s', (_what, signal, error, failure) => {
    expect(callFailure(signal, error)).toBe(failure);
  });
});

describe('bodyFailure', () => {
  const reset = new UpstreamConnectionError('decode', 'reset');

  it.each([
    [200, undefined, undefined],
    [200, reset, 'upstream_transport'],
    [206, reset, 'upstream_transport'],
    [412, new Error('discarded'), undefined],
    [500, reset, undefined],
  ])('of an answer of %i that ends with %p is %p', (status, error, failure) => {
    expect(bodyFailure(AbortSignal.any([]), status, error)).toBe(failure);
  });

  it('is cancelled where one beside it failed', () => {
    expect(bodyFailure(AbortSignal.abort(reset), 200, reset)).toBe('cancelled');
  });
});

describe('statusLabel', () => {
  it.each([
    [399, 'upstream_5xx'],
    [400, 'upstream_4xx'],
    [499, 'upstream_4xx'],
    [500, 'upstream_5xx'],
  ])('of %i is %s', (status, label) => {
    expect(statusLabel(status)).toBe(label);
  });
});
