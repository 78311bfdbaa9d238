import { describe, expect, it } from '@jest/globals';
import { BufferedObserver, StreamObserver } from './answer-observer.ts';
import type { AnswerFacts } from './answer-observer.ts';
import { heldBytes } from './held-bytes.fixture.ts';

const KIB = 1024;
const USAGE =
  '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":2}}}';

/** What an observer says at the end of these chunks. */
function factsOf(chunks: readonly (string | Buffer)[], error?: Error): AnswerFacts {
  const facts: AnswerFacts[] = [];
  const observer = new StreamObserver(
    () => undefined,
    (end) => facts.push(end),
  );
  for (const chunk of chunks) observer.chunk(Buffer.from(chunk));
  observer.end(error);
  const [end] = facts;
  if (end === undefined) throw new Error('the end was not told');
  return end;
}

/** The text in pieces of so many bytes. */
function pieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** An event whose line has so many bytes, with its usage at the end. */
function longEvent(bytes: number, usage: string): string {
  const [head, tail] = ['data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"', `"}}]}}]${usage}}`];
  return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}\n\n`;
}

describe('StreamObserver', () => {
  it.each([
    ['a role alone', '{"choices":[{"delta":{"role":"assistant","content":""}}]}', 0],
    ['a role with a null', '{"choices":[{"delta":{"role":"assistant","content":null}}]}', 0],
    ['a finish reason', '{"choices":[{"delta":{},"finish_reason":"stop"}]}', 0],
    ['usage', USAGE, 0],
    ['no tool call', '{"choices":[{"delta":{"tool_calls":[ ]}}]}', 0],
    [
      'the items of a response that begins',
      '{"type":"response.created","response":{"metadata":{"text":"x"},"output":[]}}',
      0,
    ],
    ['the text of a response once more', '{"type":"response.output_text.done","text":"all of it"}', 0],
    ['a text', '{"choices":[{"delta":{"content":"a"}}]}', 1],
    ['a text behind spaces and tabs', '{"choices":[{"delta":{"content" :\t"a"}}]}', 1],
    ['a thought', '{"choices":[{"delta":{"reasoning_content":"a"}}]}', 1],
    ['a tool call', '{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}', 1],
    ['a completion', '{"choices":[{"text":"a"}]}', 1],
    ['token ids', '{"choices":[{"token_ids":[1]}]}', 1],
    ['a delta of a response', '{"type":"response.output_text.delta","delta":"a"}', 1],
  ])('takes %s for as many events with output as it is', (_what, data, expected) => {
    expect(factsOf([`data: ${data}\n\n`]).outputEvents).toBe(expected);
  });

  it.each([
    ['[DONE]', 'data: [DONE]\n\n', true],
    ['[DONE] that the answer ends with', 'data: [DONE]', true],
    ['a finish reason', 'data: {"choices":[{"finish_reason":"length"}]}\n\n', true],
    ['a response that completed', 'data: {"type":"response.completed","response":{}}\n\n', true],
    ['a response that reached its limit', 'data: {"type":"response.incomplete","response":{}}\n\n', true],
    ['nothing', 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', false],
    ['[DONE] in a comment', ': data: [DONE]\n\n', false],
    ['an error, and [DONE]', 'data: {"error":{"message":"no"}}\n\ndata: [DONE]\n\n', false],
    ['an error of the responses API', 'data: {"code":"x","type":"error"}\n\ndata: [DONE]\n\n', false],
    ['a response that failed', 'data: {"type":"response.failed","response":{"error":{}}}\n\n', false],
    [
      'a text that is the name of an event',
      'data: {"choices":[{"delta":{"content":"response.completed"}}]}\n\n',
      false,
    ],
    ['a text that is a finish reason', 'data: {"delta":{"content":"\\"finish_reason\\":\\"stop\\""}}\n\n', false],
  ])('takes %s as the end that it is', (_what, text, expected) => {
    expect(factsOf([text]).isTerminated).toBe(expected);
  });

  it('does not take the rest of a line for an event when the answer broke off', () => {
    expect(factsOf(['data: [DONE]'], new Error('reset')).isTerminated).toBe(false);
  });

  it('counts neither an upstream comment nor an empty event as the first output', () => {
    const calls: number[] = [];
    const observer = new StreamObserver(
      (now) => calls.push(now),
      () => undefined,
    );
    for (const text of [': ping\n\n', 'event: x\n\n', 'data:\n\n', 'data: {"choices":[]}\n\n'])
      observer.chunk(Buffer.from(text));
    expect(calls).toEqual([]);
    observer.chunk(Buffer.from('data: {"choices":[{"delta":{"content":"a"}}]}\n'));
    expect(calls).toHaveLength(1);
  });

  it('stamps the first and the last event with output, and nothing behind them', async () => {
    let first = 0;
    const facts: AnswerFacts[] = [];
    const observer = new StreamObserver(
      (now) => (first = now),
      (end) => facts.push(end),
    );
    const text = (content: string): Buffer => Buffer.from(`data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`);
    observer.chunk(text(''));
    const before = performance.now();
    observer.chunk(text('a'));
    const between = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    observer.chunk(text('b'));
    const after = performance.now();
    observer.chunk(Buffer.from(`data: ${USAGE}\n\ndata: [DONE]\n\n`));
    observer.end(undefined);
    const { firstOutputAt = 0, lastOutputAt = 0, outputEvents } = facts[0] ?? {};
    expect(outputEvents).toBe(2);
    expect(firstOutputAt).toBe(first);
    expect(firstOutputAt).toBeGreaterThanOrEqual(before);
    expect(firstOutputAt).toBeLessThanOrEqual(between);
    expect(lastOutputAt).toBeGreaterThan(between);
    expect(lastOutputAt).toBeLessThanOrEqual(after);
  });

  it('has the last usage where each event brings one', () => {
    const each = [1, 2, 3].map(
      (tokens) => `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":${tokens}}}\n\n`,
    );
    expect(factsOf(each).usage).toEqual({ inputTokens: 5, outputTokens: 3, cachedTokens: undefined });
  });

  it.each(['-1', '1.5', '1e400', '"7"', 'true', '9007199254740993', 'null', '[7]', '{}'])(
    'takes a count of %s for unknown, not for a number',
    (written) => {
      const { usage } = factsOf([`data: {"usage":{"prompt_tokens":5,"completion_tokens":${written}}}\n\n`]);
      expect(usage).toEqual({ inputTokens: 5, outputTokens: undefined, cachedTokens: undefined });
    },
  );

  it.each([
    ['null', '{"usage":null}'],
    ['a text', '{"usage":"a lot"}'],
    ['a list', '{"usage":[]}'],
    ['cut', '{"usage":{"prompt_tokens":5,'],
    ['an array around it', '[{"usage":{"prompt_tokens":5}}]'],
  ])('does not know the usage that is %s', (_what, data) => {
    expect(factsOf([`data: ${data}\n\n`]).usage).toBeUndefined();
  });

  it('finds the usage behind a text that is the word', () => {
    const data = '{"stop":["usage",null],"choices":[{"delta":{"content":"usage"}}],"usage":{"prompt_tokens":5}}';
    expect(factsOf([`data: ${data}\n\n`]).usage?.inputTokens).toBe(5);
  });

  describe('with a line longer than 256 KiB', () => {
    const usage = ',"usage":{"prompt_tokens":5,"completion_tokens":7}';

    it.each([65_535, 65_536, 65_537, 256 * KIB])('still knows the usage in a line of %i bytes', (bytes) => {
      const { usage: seen, outputEvents } = factsOf(pieces(longEvent(bytes, usage), 16 * KIB));
      expect([seen?.outputTokens, outputEvents]).toEqual([7, 1]);
    });

    it.each([256 * KIB + 1, 1024 * KIB + 1, 2048 * KIB])('does not know the usage in a line of %i bytes', (bytes) => {
      const facts = factsOf([...pieces(longEvent(bytes, usage), 16 * KIB), 'data: [DONE]\n\n']);
      expect(facts).toMatchObject({ usage: undefined, outputEvents: 1, isTerminated: true });
    });

    it('knows the usage that comes behind it', () => {
      expect(factsOf([...pieces(longEvent(1024 * KIB, ''), 16 * KIB), `data: ${USAGE}\n\n`]).usage?.outputTokens).toBe(
        7,
      );
    });

    it('does not take an earlier usage for the one that it could not read', () => {
      const earlier = 'data: {"usage":{"prompt_tokens":5,"completion_tokens":1}}\n\n';
      expect(factsOf([earlier, ...pieces(longEvent(300 * KIB, usage), 16 * KIB)]).usage).toBeUndefined();
    });

    it('holds no more than the cap, however small the pieces are', () => {
      const bytes = Buffer.from(longEvent(400 * KIB, usage));
      const observer = new StreamObserver(
        () => undefined,
        () => undefined,
      );
      const before = heldBytes();
      for (let index = 0; index < bytes.length - 2; index++) observer.chunk(bytes.subarray(index, index + 1));
      expect(heldBytes() - before).toBeLessThan(1024 * KIB);
      observer.chunk(bytes.subarray(-2));
    });
  });
});

describe('BufferedObserver', () => {
  function seen(chunks: readonly Buffer[], error?: Error): AnswerFacts | undefined {
    const facts: AnswerFacts[] = [];
    const observer = new BufferedObserver((end) => facts.push(end));
    for (const chunk of chunks) observer.chunk(chunk);
    observer.end(error);
    return facts[0];
  }
  const padded = (length: number): string => {
    const [head, tail] = ['{"pad":"', '","choices":[{"finish_reason":"stop"}],"usage":{"completion_tokens":7}}'];
    return head + 'x'.repeat(length - head.length - tail.length) + tail;
  };

  it.each([
    [256 * KIB, 7],
    [256 * KIB + 1, undefined],
    [4096 * KIB, undefined],
  ])('knows the usage of an answer of %i bytes to be %p', (length, expected) => {
    expect(seen(pieces(padded(length), 16 * KIB))?.usage?.outputTokens).toBe(expected);
  });

  it('reads the finish reason of an answer that is written over several lines', () => {
    expect(seen([Buffer.from('{\n "choices": [\n {"finish_reason":\n "stop"}\n ]\n}')])?.finishReasons).toEqual([
      'stop',
    ]);
  });

  it('knows nothing of an answer that broke off', () => {
    expect(seen(pieces(padded(KIB), 100), new Error('reset'))).toMatchObject({
      usage: undefined,
      finishReasons: [],
      isTerminated: false,
    });
  });

  it('holds no more than the answer and as much again, however small its pieces are', () => {
    const bytes = Buffer.from(padded(200 * KIB));
    const observer = new BufferedObserver(() => undefined);
    const before = heldBytes();
    for (let index = 0; index < bytes.length; index++) observer.chunk(bytes.subarray(index, index + 1));
    expect(heldBytes() - before).toBeLessThan(1024 * KIB);
    observer.end(undefined);
  });
});
