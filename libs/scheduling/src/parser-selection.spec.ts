import { describe, expect, it } from '@jest/globals';
import { ParserSelection } from './parser-selection.ts';
import type { Parser } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import { aParsedRequest } from './scheduling.fixture.ts';

/** A parser that takes its name for the model. */
function aParser(model: string, ...suffixes: readonly string[]): Parser {
  return { suffixes, parse: () => aParsedRequest({ model }) };
}

const LISTED = [
  aParser('text', 'completions'),
  aParser('chat', 'chat/completions'),
  aParser('render', 'completions/render'),
];

async function modelOf(parsers: readonly Parser[], path: string): Promise<string | undefined> {
  return (await new ParserSelection(parsers).parse(path, Buffer.alloc(0), new Map())).model;
}

describe('ParserSelection', () => {
  it.each([
    ['/v1/completions', 'text'],
    ['/v1/completions?x=/chat/completions', 'text'],
    ['/v1/chat/completions', 'chat'],
    ['/prefix/v1/chat/completions', 'chat'],
    ['/v1/chat/completions/render', 'render'],
    ['/v1/embeddings', 'rest'],
    ['', 'rest'],
  ])('gives %s to %s', async (path, expected) => {
    await expect(modelOf([aParser('rest'), ...LISTED], path)).resolves.toBe(expected);
  });

  it('refuses a path that nobody takes, without its query', () => {
    const parse = (): unknown => new ParserSelection(LISTED).parse('/v1/other?key=secret', Buffer.alloc(0), new Map());
    expect(parse).toThrow(
      new SchedulingError('BadRequest', 'no parser registered matching path suffix for: /v1/other'),
    );
  });

  it('says no more of an endless path than its beginning', () => {
    const parse = (): unknown => new ParserSelection([]).parse(`/${'x'.repeat(10_000)}`, Buffer.alloc(0), new Map());
    expect(parse).toThrow(`: /${'x'.repeat(127)}`);
    expect(parse).not.toThrow('x'.repeat(128));
  });
});
