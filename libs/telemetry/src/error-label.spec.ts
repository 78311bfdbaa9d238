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
import { errorLabel, statusLabel } from './error-label.ts';
import { ERROR_CODES } from './label-values.ts';

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
