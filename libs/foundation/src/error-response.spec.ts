import { describe, expect, it } from '@jest/globals';
import { asCoordinatorError, errorBody, errorResponse } from './error-response.ts';
import {
  BadRequestError,
  DrainingError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from './errors.ts';

const ID = '7b0c';

describe('errorResponse', () => {
  it.each([
    [new BadRequestError('invalid_value', 'no'), 400, 'invalid_request_error'],
    [new BadRequestError('not_found', 'no'), 404, 'invalid_request_error'],
    [new BadRequestError('method_not_allowed', 'no'), 405, 'invalid_request_error'],
    [new BadRequestError('request_timeout', 'no'), 408, 'invalid_request_error'],
    [new BadRequestError('body_too_large', 'no'), 413, 'invalid_request_error'],
    [new BadRequestError('unsupported_encoding', 'no'), 415, 'invalid_request_error'],
    [new UpstreamError('prefill', 401), 401, 'authentication_error'],
    [new UpstreamError('prefill', 403), 403, 'permission_error'],
    [new UpstreamError('prefill', 422), 422, 'invalid_request_error'],
    [new UpstreamError('prefill', 429), 429, 'rate_limit_error'],
    [new UpstreamError('prefill', 500), 502, 'api_error'],
    [new UpstreamError('prefill', 503), 503, 'api_error'],
    [new UpstreamError('prefill', 504), 504, 'timeout_error'],
    [new UpstreamConnectionError('prefill', 'refused'), 502, 'api_error'],
    [new UpstreamTimeoutError('prefill', 'gateway.timeout'), 504, 'timeout_error'],
    [new UpstreamAnswerError('prefill', 'nothing'), 502, 'api_error'],
    [new DrainingError(), 503, 'api_error'],
    [new InternalError(new Error('secret')), 500, 'api_error'],
  ])('%s is answered with its status and an OpenAI error object', (error, status, type) => {
    const response = errorResponse(error, ID);
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body)).toEqual({
      error: { message: `${error.message} (request_id: ${ID})`, type, param: null, code: error.code },
    });
  });

  it('is JSON that no browser takes for something else', () => {
    expect(errorResponse(new DrainingError(), ID).headers).toEqual({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
  });

  it('names the field at fault', () => {
    const error = new BadRequestError('invalid_media', 'not an image', { param: 'messages[0].content[1]' });
    expect(JSON.parse(errorBody(error, ID))).toMatchObject({ error: { param: 'messages[0].content[1]' } });
  });

  it('tells what the upstream said of when to come back', () => {
    const relayed = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', 'x-llm-d-request-dropped-reason': 'ttl' };
    expect(errorResponse(new UpstreamError('prefill', 429, relayed), ID).headers).toMatchObject(relayed);
  });

  it('keeps what caused an error to itself', () => {
    const error = new InternalError(new Error('token=SECRET-123'));
    expect(errorResponse(error, ID).body).not.toContain('SECRET');
  });

  it('is one line of JSON, whatever the message holds', () => {
    const body = errorBody(new BadRequestError('invalid_value', 'a "b"\nc \ud83d'), ID);
    expect(body).not.toContain('\n');
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
      error: { message: `a "b"\nc \ud83d (request_id: ${ID})` },
    });
  });
});

describe('asCoordinatorError', () => {
  it('leaves an error of ours as it is', () => {
    const error = new DrainingError();
    expect(asCoordinatorError(error)).toBe(error);
  });

  it.each([[new TypeError('boom')], ['a string'], [undefined], [null]])(
    'takes %p for a fault of ours, which says nothing of it',
    (thrown) => {
      expect(asCoordinatorError(thrown)).toMatchObject({ status: 500, message: 'internal error', cause: thrown });
    },
  );
});
