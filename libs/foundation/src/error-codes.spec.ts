import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from './error-codes.ts';
import type { ErrorCode, ErrorFacts } from './error-codes.ts';
import {
  BadRequestError,
  ClientClosedError,
  DrainingError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from './errors.ts';

const codes = Object.entries<ErrorFacts>(ERROR_CODES);

describe('ERROR_CODES', () => {
  it.each(codes)('%s has a status that HTTP knows for errors, and a sentence', (_code, { status, meaning }) => {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(meaning).toMatch(/^[A-Z`].*\.$/);
  });

  it.each<[ErrorCode, number]>([
    ['body_too_large', 413],
    ['unsupported_encoding', 415],
    ['invalid_value', 400],
  ])('gives a refusal its status: %s is %i', (code, status) => {
    expect(new BadRequestError(code, 'text').status).toBe(status);
  });

  it.each([
    new ClientClosedError(),
    new DrainingError(),
    new InternalError(),
    new UpstreamAnswerError('render', 'no JSON'),
    new UpstreamConnectionError('render', 'refused'),
    new UpstreamError('render', 500),
    new UpstreamError('render', 400),
    new UpstreamTimeoutError('render', 'gateway.timeout'),
  ])('$name has the status of its code', ({ code, status }) => {
    expect(status).toBe(ERROR_CODES[code].status);
  });
});
