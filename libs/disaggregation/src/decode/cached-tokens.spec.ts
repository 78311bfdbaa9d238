import { describe, expect, it } from '@jest/globals';
import type { ClientResponse } from '#pipeline';
import type { ByteObserver, ByteStream } from '#protocol';
import { withCachedTokens } from './cached-tokens.ts';

const CHAT = '/v1/chat/completions';

/** An answer that arrives in these chunks. */
function arriving(chunks: readonly (string | Buffer)[]): ByteStream & { isDiscarded: boolean } {
  return {
    isDiscarded: false,
    observe: (observer: ByteObserver) => {
      observer.end(undefined);
    },
    pipe(sink) {
      for (const chunk of chunks) sink.write(Buffer.from(chunk), () => undefined);
      return Promise.resolve();
    },
    discard() {
      this.isDiscarded = true;
    },
  };
}

function anAnswer(body: ClientResponse['body'], type: string, headers: ClientResponse['headers'] = {}): ClientResponse {
  return { status: 200, headers: { 'content-type': type, ...headers }, body };
}

/** What is sent on, by the chunks that the engine sends. */
async function writes(answer: ClientResponse, path = CHAT, count = 7): Promise<string[]> {
  const { body } = await withCachedTokens(answer, path, count);
  const written: string[] = [];
  if (!('pipe' in body)) return [Buffer.concat(body).toString()];
  await body.pipe({ write: (part) => written.push(part.toString()) > 0 });
  return written;
}

async function rewritten(text: string, type = 'application/json', count = 7): Promise<string> {
  return (await writes(anAnswer(arriving([text]), type), CHAT, count)).join('');
}

const USAGE_CASES = [
  {
    name: 'in place of the one that is there',
    usage: '{"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 49, "x": 9007199254740993}}',
    expected: '{"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 7, "x": 9007199254740993}}',
  },
  {
    name: 'into details that are empty',
    usage: '{"prompt_tokens":50,"prompt_tokens_details":{}}',
    expected: '{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":7}}',
  },
  {
    name: 'with details where there are none',
    usage: '{"prompt_tokens":50}',
    expected: '{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":7}}',
  },
  {
    name: 'with details where they are null',
    usage: '{"prompt_tokens_details":null,"prompt_tokens":50}',
    expected: '{"prompt_tokens_details":{"cached_tokens":7},"prompt_tokens":50}',
  },
  { name: 'into a usage that is empty', usage: '{}', expected: '{"prompt_tokens_details":{"cached_tokens":7}}' },
  {
    name: 'nowhere where it is the same already',
    usage: '{"prompt_tokens_details":{"cached_tokens":7.0}}',
    expected: '{"prompt_tokens_details":{"cached_tokens":7.0}}',
  },
  { name: 'nowhere where usage is null', usage: 'null', expected: 'null' },
];

describe('withCachedTokens, an answer of one piece', () => {
  it.each(USAGE_CASES)('puts the count $name', async ({ usage, expected }) => {
    const text = (value: string) => ` {"id": "é", "seed":18446744073709551615, "usage": ${value} ,"a":1,"a":2}\n`;
    expect(await rewritten(text(usage))).toBe(text(expected));
  });

  it('puts 0 as well', async () => {
    expect(await rewritten('{"usage":{"prompt_tokens_details":{"cached_tokens":49}}}', 'application/json', 0)).toBe(
      '{"usage":{"prompt_tokens_details":{"cached_tokens":0}}}',
    );
  });

  it('holds it up to its end, however it is cut', async () => {
    const text = `{"x":"${'y'.repeat(100_000)}","usage":{"prompt_tokens_details":{"cached_tokens":49}}}`;
    const chunks = [text.slice(0, 3), text.slice(3, 70_000), text.slice(70_000)];
    expect((await writes(anAnswer(arriving(chunks), 'application/json'))).join('')).toBe(text.replace('49', '7'));
  });

  it('is edited where it is whole already', async () => {
    const body = [Buffer.from('{"usage":{"prompt_tokens_details":'), Buffer.from('{"cached_tokens":49}}}')];
    expect(await writes(anAnswer(body, 'application/json'))).toEqual([
      '{"usage":{"prompt_tokens_details":{"cached_tokens":7}}}',
    ]);
  });

  it.each([
    ['no usage', '{"id":"x"}'],
    ['a usage that is none of its own', '{"choices":[{"usage":{}}],"text":"\\"usage\\":{}"}'],
    ['no JSON', '{"usage":{}'],
    ['something behind it', '{"usage":{}} x'],
    ['an array', '[{"usage":{}}]'],
    ['nothing', ''],
    ['white space', ' \n'],
  ])('is left as it is where it has %s', async (_, text) => {
    expect(await rewritten(text)).toBe(text);
  });

  it('passes at once where it is no object', async () => {
    const chunks = ['<html>', 'more', '</html>'];
    expect(await writes(anAnswer(arriving(chunks), 'text/html'))).toEqual(chunks);
  });

  it('passes as it is from 16 MiB on', async () => {
    const part = 'x'.repeat(8 * 1024 * 1024);
    const chunks = ['{"a":"', part, part, '","usage":{}}', 'z'];
    const written = await writes(anAnswer(arriving(chunks), 'application/json'));
    expect(written.join('') === chunks.join('')).toBe(true);
  });
});

const EVENTS = [
  ': a comment\n',
  'event: x\n',
  'data: {"choices":[{"delta":{"content":"é"}}],"usage":null}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":49}}}\n\n',
  'data: [DONE]\n\n',
];
const EXPECTED = EVENTS.join('').replace('49', '7');

describe('withCachedTokens, an event stream', () => {
  it.each(USAGE_CASES)('puts the count $name', async ({ usage, expected }) => {
    const text = (value: string) => `data: {"id":1,"usage":${value} } \n\ndata: [DONE]\n\n`;
    expect(await rewritten(text(usage), 'text/event-stream')).toBe(text(expected));
  });

  it('keeps every other line, [DONE] and content included', async () => {
    expect(await rewritten(EVENTS.join(''), 'text/event-stream; charset=utf-8')).toBe(EXPECTED);
  });

  it('is one by its first bytes, whatever its content type says', async () => {
    expect(await rewritten(EVENTS.slice(2).join(''), 'text/plain')).toBe(
      EXPECTED.slice(EVENTS.slice(0, 2).join('').length),
    );
  });

  it.each(['\n', '\r\n', '\r'])('keeps line ends: %j', async (end) => {
    const text = EVENTS.join('').replaceAll('\n', end);
    expect(await rewritten(text, 'text/event-stream')).toBe(text.replace('49', '7'));
  });

  it.each([
    ['before data:', ['data: {}\n\nda', 'ta: {"usage":{}}', '\n\n']],
    ['inside JSON', ['data: {}\n\ndata: {"us', 'age":{}', '}\n\n']],
  ])('holds nothing but the line that is not complete, cut %s', async (_, chunks) => {
    expect(await writes(anAnswer(arriving(chunks), 'text/event-stream'))).toEqual([
      'data: {}\n\n',
      'data: {"usage":{"prompt_tokens_details":{"cached_tokens":7}}}\n\n',
    ]);
  });

  it('sends what needs no look at once, without a copy', async () => {
    const chunk = Buffer.from('data: {"choices":[]}\n\n');
    const sent: Buffer[] = [];
    const source: ByteStream = {
      ...arriving([]),
      pipe(sink) {
        sink.write(chunk, () => undefined);
        expect(sent).toEqual([chunk]);
        return Promise.resolve();
      },
    };
    const { body } = await withCachedTokens(anAnswer(source, 'text/event-stream'), CHAT, 7);
    if (!('pipe' in body)) throw new Error('a stream stays one');
    await body.pipe({ write: (part) => sent.push(part) > 0 });
    expect(sent[0]?.buffer === chunk.buffer && sent[0].byteOffset === chunk.byteOffset).toBe(true);
  });

  it('edits a last line that has no end', async () => {
    expect(await rewritten('data: {}\n\ndata: {"usage":{}}', 'text/event-stream')).toBe(
      'data: {}\n\ndata: {"usage":{"prompt_tokens_details":{"cached_tokens":7}}}',
    );
  });

  it.each([
    ['a line of no data', 'event: {"usage":{}}\n'],
    ['no JSON', 'data: oops "usage":{}\n'],
    ['JSON that breaks off', 'data: {"usage":{}\n'],
    ['something behind the JSON', 'data: {"usage":{}} x\n'],
    ['a value that is none', 'data: {"a":oops,"usage":{}}\n'],
    ['a usage inside another value', 'data: {"a":{"usage":{}}}\n'],
    ['the word in a text', 'data: {"a":"\\"usage\\":{}"}\n'],
  ])('leaves %s as it is', async (_, text) => {
    expect(await rewritten(text, 'text/event-stream')).toBe(text);
  });

  it('lets a line pass that is longer than a quarter of a megabyte, and looks at the next', async () => {
    const long = `data: {"a":"${'x'.repeat(100_000)}`;
    const chunks = [long, 'x'.repeat(100_000), 'x'.repeat(100_000), '","usage":{}', '}\ndata: {"usage":{}}\n'];
    const written = await writes(anAnswer(arriving(chunks), 'text/event-stream'));
    const expected = chunks.join('').replace(/\{\}\}\n$/, '{"prompt_tokens_details":{"cached_tokens":7}}}\n');
    expect(written.join('') === expected).toBe(true);
  });

  it('asks for more as the client does', async () => {
    const asked: boolean[] = [];
    let wake: (() => void) | undefined;
    const source: ByteStream = {
      ...arriving([]),
      pipe(sink) {
        asked.push(sink.write(Buffer.from('data: {"us'), () => undefined));
        asked.push(sink.write(Buffer.from('age":{}}\n'), () => void asked.push(true)));
        return Promise.resolve();
      },
    };
    const { body } = await withCachedTokens(anAnswer(source, 'text/event-stream'), CHAT, 7);
    if (!('pipe' in body)) throw new Error('a stream stays one');
    await body.pipe({
      write: (_, resume) => {
        wake = resume;
        return false;
      },
    });
    expect(asked).toEqual([true, false]);
    wake?.();
    expect(asked).toEqual([true, false, true]);
  });
});

describe('withCachedTokens', () => {
  it.each(['/v1/chat/completions', '/v1/completions', '/inference/v1/generate', '/v1/chat/completions?a=1'])(
    'edits the usage of %s',
    async (path) => {
      expect(await writes(anAnswer(arriving(['{"usage":{}}']), 'application/json'), path)).toEqual([
        '{"usage":{"prompt_tokens_details":{"cached_tokens":7}}}',
      ]);
    },
  );

  it.each(['/v1/responses', '/v1/messages'])('leaves the usage of %s alone, which has no such member', async (path) => {
    expect(await writes(anAnswer(arriving(['{"usage":{}}']), 'application/json'), path)).toEqual(['{"usage":{}}']);
  });

  it('leaves bytes alone that stand for others', async () => {
    const answer = anAnswer(arriving(['{"usage":{}}']), 'application/json', { 'content-encoding': 'gzip' });
    expect(await writes(answer)).toEqual(['{"usage":{}}']);
  });

  it('takes the length away, and no other header', async () => {
    const answer = anAnswer(arriving([]), 'application/json', { 'content-length': '12', 'x-y': ['1', '2'] });
    expect(await withCachedTokens({ ...answer, status: 418 }, CHAT, 7)).toMatchObject({
      status: 418,
      headers: { 'content-type': 'application/json', 'x-y': ['1', '2'] },
    });
    expect((await withCachedTokens(answer, CHAT, 7)).headers).not.toHaveProperty('content-length');
  });

  it('gives up what the engine sends, and lets it be observed', async () => {
    const source = arriving([]);
    const { body } = await withCachedTokens(anAnswer(source, 'text/event-stream'), CHAT, 7);
    if (!('pipe' in body)) throw new Error('a stream stays one');
    let isEnded = false;
    body.observe({ end: () => (isEnded = true) });
    body.discard();
    expect({ isEnded, isDiscarded: source.isDiscarded }).toEqual({ isEnded: true, isDiscarded: true });
  });

  it('breaks off as the engine does', async () => {
    const error = new Error('reset');
    const source: ByteStream = { ...arriving([]), pipe: () => Promise.reject(error) };
    const { body } = await withCachedTokens(anAnswer(source, 'text/event-stream'), CHAT, 7);
    if (!('pipe' in body)) throw new Error('a stream stays one');
    await expect(body.pipe({ write: () => true })).rejects.toBe(error);
  });
});
