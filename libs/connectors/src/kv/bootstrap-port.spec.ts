import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { buildObject, joinRope } from '#json';
import type { Rope } from '#json';
import { bootstrapPort } from './bootstrap-port.ts';
import { SglangConcurrentKvConnector } from './sglang.concurrent-kv-connector.ts';
import { SglangKvConnector } from './sglang.kv-connector.ts';

/** Each side of the connector, made anew, and how a port is got from it. */
const SIDES: readonly (readonly [name: string, make: () => () => Rope])[] = [
  [
    'one worker after the other',
    () => {
      const connector = new SglangKvConnector();
      return () => connector.forPrefill();
    },
  ],
  [
    'both workers at once',
    () => {
      const connector = new SglangConcurrentKvConnector();
      return () => buildObject(connector.members({ host: 'a', port: 1 }));
    },
  ],
];

describe.each(SIDES)('SGLANG_BOOTSTRAP_PORT of kv-sglang with %s', (_, make) => {
  const before = process.env['SGLANG_BOOTSTRAP_PORT'];

  afterEach(() => {
    if (before === undefined) delete process.env['SGLANG_BOOTSTRAP_PORT'];
    else process.env['SGLANG_BOOTSTRAP_PORT'] = before;
  });

  /** What is sent by one connector for two requests, and the errors that it logged. */
  function sent(value: string | undefined): { texts: readonly string[]; errors: readonly unknown[] } {
    if (value === undefined) delete process.env['SGLANG_BOOTSTRAP_PORT'];
    else process.env['SGLANG_BOOTSTRAP_PORT'] = value;
    const errors: unknown[] = [];
    const silent = (): void => undefined;
    Logger.overrideLogger({ log: silent, warn: silent, error: (message: unknown) => errors.push(message) });
    const ask = make();
    const texts = [ask(), ask()].map((rope) => joinRope(rope).toString());
    return { texts, errors };
  }

  it.each([
    [undefined, '8998'],
    ['', '8998'],
    ['9100', '9100'],
  ])('of %j is sent as %s', (value, port) => {
    const { texts, errors } = sent(value);
    for (const text of texts) expect(text).toContain(`"bootstrap_port":${port},`);
    expect(errors).toEqual([]);
  });

  it('is said once to be no port, and is the default then', () => {
    const { texts, errors } = sent('70000');
    for (const text of texts) expect(text).toContain('"bootstrap_port":8998,');
    expect(errors).toEqual(['SGLANG_BOOTSTRAP_PORT is not a port from 1 to 65535, using 8998']);
  });
});

describe('bootstrapPort', () => {
  it.each([
    ['', 8998],
    ['1', 1],
    ['8998', 8998],
    ['65535', 65_535],
    ['65536', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['port', undefined],
    ['8998x', undefined],
    ['8998 ', undefined],
    ['8998.0', undefined],
    ['0x2326', undefined],
    ['99999999999999999999', undefined],
  ])('of %j is %j', (value, port) => {
    expect(bootstrapPort(value)).toBe(port);
  });
});
