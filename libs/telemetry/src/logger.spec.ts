import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BadRequestError, UpstreamConnectionError } from '#foundation';
import { Child } from '#testing';
import { JsonLogger } from './logger.ts';

afterEach(() => {
  Logger.overrideLogger(false);
});

/** A logger, what Nest's own makes of it, and the lines that were written. */
function logging(verbosity = 5, context = 'server') {
  const lines: string[] = [];
  const json = new JsonLogger(verbosity, 'llm-d-coordinator', { write: (line) => void lines.push(line) });
  Logger.overrideLogger(json);
  const logger = new Logger(context);
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>; // what a line is
  return { json, logger, lines, last };
}

const SEVERITIES = [
  { method: 'fatal', from: 0, text: 'FATAL', number: 21 },
  { method: 'error', from: 0, text: 'ERROR', number: 17 },
  { method: 'warn', from: 1, text: 'WARN', number: 13 },
  { method: 'log', from: 2, text: 'INFO', number: 9 },
  { method: 'verbose', from: 3, text: 'DEBUG', number: 5 },
  { method: 'debug', from: 4, text: 'DEBUG', number: 5 },
] as const;

describe('JsonLogger', () => {
  describe('a line', () => {
    it('is one JSON object in the names of OpenTelemetry', () => {
      const { logger, lines, last } = logging();
      logger.log({ path: '/v1/completions', stream: true }, 'received request');
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
      expect(last()).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        severity_text: 'INFO',
        severity_number: 9,
        'service.name': 'llm-d-coordinator',
        logger: 'server',
        body: 'received request',
        path: '/v1/completions',
        stream: true,
      });
    });

    it('needs no fields', () => {
      const { logger, last } = logging();
      logger.warn('certificate reloaded');
      expect(last()).toMatchObject({ body: 'certificate reloaded', logger: 'server', severity_text: 'WARN' });
    });

    it('stays one line, whatever is in it', () => {
      const { logger, lines, last } = logging();
      logger.log({ value: 'a\nb\u2028' }, 'c\nd');
      expect(lines.join('').trimEnd()).not.toContain('\n');
      expect(last()).toMatchObject({ value: 'a\nb\u2028', body: 'c\nd' });
    });

    it('has the time at which it was written', () => {
      const { logger, last } = logging();
      const before = Date.now();
      logger.log('now');
      const written = Date.parse(String(last()['timestamp']));
      expect(written).toBeGreaterThanOrEqual(before);
      expect(written).toBeLessThanOrEqual(Date.now());
    });
  });

  describe('severity', () => {
    it.each(SEVERITIES)('$method is $text, $number', ({ method, text, number }) => {
      const { logger, last } = logging();
      logger[method]({ a: 1 }, 'words');
      expect(last()).toMatchObject({ severity_text: text, severity_number: number, body: 'words', a: 1 });
    });

    it.each(SEVERITIES)(
      '$method is shown from verbosity $from on, and nothing is written below',
      ({ method, from }) => {
        for (let verbosity = 1; verbosity <= 5; verbosity++) {
          const { logger, lines } = logging(verbosity);
          logger[method]('words');
          expect(lines).toHaveLength(verbosity >= from ? 1 : 0);
        }
      },
    );

    it('does not look at the fields of a line that is hidden', () => {
      const { logger } = logging(2);
      const fields = {
        get costly(): never {
          throw new Error('was looked at');
        },
      };
      expect(() => logger.debug(fields, 'words')).not.toThrow();
    });

    it('is shown or hidden from now on where the verbosity is switched', () => {
      const { json, logger, lines } = logging(2);
      logger.debug('one');
      json.verbosity.current = 4;
      logger.debug('two');
      json.verbosity.current = 1;
      logger.log('three');
      expect(json.verbosity.current).toBe(1);
      expect(lines.map((line) => (JSON.parse(line) as { body: string }).body)).toEqual(['two']);
    });
  });

  describe('an error', () => {
    it('is told with its kind, code, place and causes', () => {
      const { logger, last } = logging();
      const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
      logger.warn({ err: new UpstreamConnectionError('prefill', 'refused', true, cause) }, 'no prefill');
      expect(last()).toMatchObject({
        body: 'no prefill',
        err: {
          type: 'UpstreamConnectionError',
          code: 'upstream_unreachable',
          message: 'prefill could not be reached',
          stack: expect.stringContaining('logger.spec.ts'),
          cause: { type: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' },
        },
      });
    });

    it('has nothing that it holds beside that', () => {
      const { logger, lines } = logging();
      logger.error({ err: Object.assign(new BadRequestError('invalid_value', 'no'), { body: 'SECRET' }) }, 'failed');
      expect(lines.join()).not.toContain('SECRET');
    });

    it.each([['SECRET'], [{ token: 'SECRET' }], [7], [undefined]])(
      'that is none is told by its kind alone: %p',
      (thrown) => {
        const { logger, lines, last } = logging();
        logger.error({ err: thrown }, 'failed');
        expect(last()['body']).toBe('failed');
        expect(lines.join()).not.toContain('SECRET');
      },
    );

    it('may be all that is said', () => {
      const { logger, last } = logging();
      logger.error(new TypeError('boom'));
      expect(last()).toMatchObject({ body: 'boom', err: { type: 'TypeError', message: 'boom' } });
    });

    it('may be told with a stack and a context of its own, as Nest does', () => {
      const { json, last } = logging();
      json.error('it failed', 'Error: it failed\n    at nowhere', 'ExceptionsHandler');
      expect(last()).toMatchObject({ body: 'it failed', logger: 'ExceptionsHandler' });
    });
  });

  describe('fields', () => {
    it('without words make a line without words', () => {
      const { logger, last } = logging();
      logger.log({ a: 1 });
      expect(last()).toMatchObject({ a: 1, logger: 'server' });
      expect(last()['body'] ?? '').toBe('');
    });

    it.each(['log', 'error', 'warn'] as const)('of %s are never called undefined', (method) => {
      const { logger, lines } = logging();
      logger[method]({ a: 1 });
      expect(lines.join()).not.toContain('undefined');
    });
  });

  it.each(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'])(
    'keeps what %s says of its start for verbosity 5',
    (context) => {
      for (const verbosity of [2, 3, 4]) {
        const { logger, lines } = logging(verbosity, context);
        logger.log('Nest application successfully started');
        expect(lines).toEqual([]);
      }
      const { logger, lines } = logging(5, context);
      logger.log('Nest application successfully started');
      expect(lines).toHaveLength(1);
    },
  );

  it('does not keep what the framework has to complain of', () => {
    const { logger, last } = logging(2, 'NestApplication');
    logger.error('cannot bind');
    expect(last()).toMatchObject({ body: 'cannot bind', severity_text: 'ERROR' });
  });

  it('writes to standard output, whole lines, also right before the process ends', async () => {
    const source = new URL('logger.ts', import.meta.url).href;
    const child = new Child(`
      import { JsonLogger } from '${source}';
      const logger = new JsonLogger(2, 'test');
      for (let line = 0; line < 1_000; line++) logger.log({ line }, 'words', 'server');
      process.exit(0);
    `);
    expect(await child.exit).toBe(0);
    const lines = child.text.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
      Array.from({ length: 1_000 }, (_, line) => line),
    );
  });
});
