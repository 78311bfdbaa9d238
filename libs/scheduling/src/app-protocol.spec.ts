import { describe, expect, it } from '@jest/globals';
import { areSpoken } from './app-protocol.ts';
import { OpenAiParser } from './parsing/openai.parser.ts';
import { PassthroughParser } from './parsing/passthrough.parser.ts';
import type { Parser } from './plugin.ts';

const passthrough: Parser = new PassthroughParser();
const PARSERS: readonly Parser[] = [new OpenAiParser(), passthrough];

describe('areSpoken', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['http', true],
    ['kubernetes.io/h2c', true],
    ['kubernetes.io/ws', false],
    ['https', false],
  ])('for a pool that speaks %s: %s', (appProtocol, expected) => {
    expect(areSpoken(PARSERS, appProtocol)).toBe(expected);
  });

  it('takes anything where no parser says what it reads', () => {
    expect(areSpoken([passthrough], 'https')).toBe(true);
  });
});
