import { describe, expect, it } from '@jest/globals';
import {
  BadRequestError,
  ClientClosedError,
  CoordinatorError,
  DrainingError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from './errors.ts';

describe('UpstreamError', () => {
  it.each([
    { upstream: 400, status: 400, code: 'upstream_rejected' },
    { upstream: 404, status: 404, code: 'upstream_rejected' },
    { upstream: 412, status: 412, code: 'upstream_rejected' },
    { upstream: 422, status: 422, code: 'upstream_rejected' },
    { upstream: 429, status: 429, code: 'upstream_rejected' },
    { upstream: 499, status: 499, code: 'upstream_rejected' },
    { upstream: 500, status: 502, code: 'upstream_failed' },
    { upstream: 501, status: 502, code: 'upstream_failed' },
    { upstream: 503, status: 503, code: 'upstream_failed' },
    { upstream: 504, status: 504, code: 'upstream_failed' },
    { upstream: 599, status: 502, code: 'upstream_failed' },
    { upstream: 204, status: 502, code: 'upstream_failed' },
    { upstream: 307, status: 502, code: 'upstream_failed' },
  ])('an upstream $upstream is $status for the client, $code', ({ upstream, status, code }) => {
    expect(new UpstreamError('prefill', upstream)).toMatchObject({ status, code });
  });

  it('names the step that was refused', () => {
    expect(new UpstreamError('encode[2]', 422).message).toBe('encode[2] rejected the request: HTTP 422');
    expect(new UpstreamError('prefill', 500).message).toBe('prefill failed: HTTP 500');
  });
});

describe('every error', () => {
  it.each([
    [new BadRequestError('invalid_value', 'wrong'), 400, 'invalid_value', 'BadRequestError'],
    [new BadRequestError('body_too_large', 'big'), 413, 'body_too_large', 'BadRequestError'],
    [new UpstreamError('render', 404), 404, 'upstream_rejected', 'UpstreamError'],
    [new UpstreamConnectionError('render', 'refused'), 502, 'upstream_unreachable', 'UpstreamConnectionError'],
    [new UpstreamConnectionError('render', 'reset'), 502, 'upstream_unreachable', 'UpstreamConnectionError'],
    [new UpstreamTimeoutError('render', 'gateway.timeout'), 504, 'upstream_timeout', 'UpstreamTimeoutError'],
    [new UpstreamAnswerError('render', 'no JSON'), 502, 'upstream_invalid_answer', 'UpstreamAnswerError'],
    [new ClientClosedError(), 499, 'client_closed', 'ClientClosedError'],
    [new DrainingError(), 503, 'draining', 'DrainingError'],
    [new InternalError(), 500, 'internal', 'InternalError'],
  ])('%s has a status, a code and its own name', (error, status, code, name) => {
    expect(error).toBeInstanceOf(CoordinatorError);
    expect(error).toMatchObject({ status, code, name });
  });

  it.each([
    [new UpstreamConnectionError('decode', 'refused'), 'decode could not be reached'],
    [new UpstreamConnectionError('decode', 'reset'), 'decode broke the connection'],
    [
      new UpstreamTimeoutError('decode', 'gateway.decode_timeout'),
      'decode did not answer in time (gateway.decode_timeout)',
    ],
    [new UpstreamAnswerError('prefill', '200 with an error in it'), 'prefill answered 200 with an error in it'],
    [new InternalError(new Error('secret')), 'internal error'],
  ])('says whose fault it is: %s', (error, message) => {
    expect(error.message).toBe(message);
  });

  it('keeps what caused it', () => {
    const cause = new Error('deep');
    expect(new InternalError(cause).cause).toBe(cause);
    expect(new BadRequestError('invalid_body', 'wrong', { cause }).cause).toBe(cause);
    expect(new UpstreamConnectionError('decode', 'reset', false, cause).cause).toBe(cause);
    expect(new UpstreamAnswerError('decode', 'nothing', cause).cause).toBe(cause);
  });

  it('is not repeatable unless it says so', () => {
    expect(new UpstreamConnectionError('decode', 'reset').isRepeatable).toBe(false);
  });
});
