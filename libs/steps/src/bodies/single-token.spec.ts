import { describe, expect, it } from '@jest/globals';
import { JsonObject, joinRope } from '#json';
import { builtSingleToken, singleTokenMembers } from './single-token.ts';

type Format = Parameters<typeof singleTokenMembers>[1];

const object = (text: string): JsonObject => JsonObject.of(Buffer.from(text));
const capped = (text: string, format: Format): string =>
  joinRope(
    object(text)
      .setAll(singleTokenMembers(object(text), format))
      .toRope(),
  ).toString();

describe('singleTokenMembers', () => {
  it.each<[Format, string, string]>([
    ['chat', '{"model":"m"}', '{"model":"m","max_tokens":1,"stream":false}'],
    ['chat', '{"max_tokens":500,"stream":true}', '{"max_tokens":1,"stream":false}'],
    ['chat', '{"max_completion_tokens":500}', '{"max_completion_tokens":1,"max_tokens":1,"stream":false}'],
    ['chat', '{"max_completion_tokens":null}', '{"max_completion_tokens":1,"max_tokens":1,"stream":false}'],
    ['chat', '{"max_tokens":5,"max_completion_tokens":5}', '{"max_tokens":1,"max_completion_tokens":1,"stream":false}'],
    ['chat', '{"min_tokens":9,"n":2}', '{"n":2,"max_tokens":1,"stream":false}'],
    ['chat', '{"n":2,"stream_options":{"include_usage":true}}', '{"n":2,"max_tokens":1,"stream":false}'],
    ['completions', '{"max_tokens":500,"min_tokens":100}', '{"max_tokens":1,"stream":false}'],
    ['completions', '{"max_completion_tokens":5}', '{"max_completion_tokens":5,"max_tokens":1,"stream":false}'],
    ['responses', '{"max_output_tokens":90,"store":true}', '{"max_output_tokens":1,"store":false,"stream":false}'],
    ['responses', '{}', '{"max_output_tokens":1,"stream":false,"store":false}'],
    [
      'responses',
      '{"max_tokens":7,"min_tokens":3,"stream":true,"stream_options":{}}',
      '{"max_tokens":7,"stream":false,"max_output_tokens":1,"store":false}',
    ],
  ])('makes of the %s body %s the body %s', (format, body, expected) => {
    expect(capped(body, format)).toBe(expected);
  });

  it('leaves what else shapes the answer alone', () => {
    const body =
      '{"n":2,"stop":["a"],"logprobs":true,"tools":[],"tool_choice":"required","response_format":{},"max_tokens":1,"stream":false}';
    expect(capped(body, 'chat')).toBe(body);
  });
});

describe('builtSingleToken', () => {
  it.each<[Format, string, string[]]>([
    ['chat', '{"min_tokens":3}', ['max_tokens 1', 'stream false']],
    ['chat', '{"max_completion_tokens":5}', ['max_tokens 1', 'max_completion_tokens 1', 'stream false']],
    ['completions', '{"max_completion_tokens":5}', ['max_tokens 1', 'stream false']],
    ['responses', '{"store":true}', ['max_output_tokens 1', 'stream false', 'store false']],
  ])('has for the %s body %s the members %j', (format, body, members) => {
    const built = builtSingleToken(object(body), format);
    expect(Object.entries(built).map(([key, value]) => `${key} ${joinRope(value).toString()}`)).toEqual(members);
  });
});
