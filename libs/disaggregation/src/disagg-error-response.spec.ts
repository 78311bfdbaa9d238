import { describe, expect, it } from '@jest/globals';
import {
  BadRequestError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from '#foundation';
import { disaggErrorResponse } from './disagg-error-response.ts';

describe('disaggErrorResponse', () => {
  it.each([
    [400, 'BadRequestError', new BadRequestError('invalid_body', 'x')],
    [413, 'BadRequestError', new BadRequestError('body_too_large', 'x')],
    [415, 'BadRequestError', new BadRequestError('unsupported_encoding', 'x')],
    [500, 'InternalServerError', new InternalError()],
    [502, 'BadGateway', new UpstreamAnswerError('prefill', 'x')],
    [502, 'BadGateway', new UpstreamError('encode[2]', 500)],
    [502, 'BadGateway', new UpstreamError('encode[2]', 503)],
    [502, 'BadGateway', new UpstreamError('encode[2]', 400)],
    [502, 'BadGateway', new UpstreamConnectionError('prefill', 'refused')],
    [502, 'BadGateway', new UpstreamConnectionError('encode[0]', 'refused')],
    [502, 'BadGateway', new UpstreamConnectionError('decode', 'reset')],
    [503, 'ServiceUnavailable', new UpstreamConnectionError('decode', 'refused')],
    [504, 'GatewayTimeout', new UpstreamTimeoutError('prefill', 'x')],
  ])('is a %d %s for %s', (status, type, error) => {
    const answer = disaggErrorResponse(error, 'req-1');
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toEqual({
      object: 'error',
      message: expect.stringMatching(
        new RegExp(`^${error.message.replace(/[^ \\w]/g, '.')}.* \\(request_id: req-1\\)$`),
      ),
      type,
      param: '',
      code: status,
    });
  });

  it('names the item that failed and its status', () => {
    expect(disaggErrorResponse(new UpstreamError('encode[2]', 500), 'r').body).toContain('encode[2] failed: HTTP 500');
  });

  it('tells what to look after when the engine refuses the connection', () => {
    const { body } = disaggErrorResponse(new UpstreamConnectionError('decode', 'refused'), 'r');
    expect(body).toContain('decode could not be reached: check that it runs, and that --model-server-port is its port');
  });
});
