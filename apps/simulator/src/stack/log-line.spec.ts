import { describe, expect, it } from '@jest/globals';
import { logLine } from './log-line.ts';

describe('logLine', () => {
  it.each([
    {
      entry: {
        severity_text: 'WARN',
        severity_number: 13,
        'service.name': 'c',
        timestamp: 't',
        logger: 'shutdown',
        in_flight: 1,
        body: 'breaking off',
      },
      expected: 'WARN shutdown: breaking off in_flight=1',
    },
    {
      entry: {
        severity_text: 'ERROR',
        logger: 'server',
        'x-request-id': 'r',
        err: { message: 'refused', stack: 's' },
        body: 'failed',
      },
      expected: 'ERROR server: failed (refused) x-request-id=r',
    },
    { entry: { severity_text: 'ERROR', err: { message: 'failed' }, body: 'failed' }, expected: 'ERROR: failed' },
    { entry: { body: 'bare' }, expected: 'bare' },
    { entry: { message: 'another logger' }, expected: '{"message":"another logger"}' },
  ])('makes "$expected"', ({ entry, expected }) => {
    expect(logLine(JSON.stringify(entry))).toBe(expected);
  });

  it.each(['plain text', '{"cut', '  pipeline.steps[0].type  unknown step type'])('leaves "%s" as it is', (line) => {
    expect(logLine(line)).toBe(line);
  });
});
