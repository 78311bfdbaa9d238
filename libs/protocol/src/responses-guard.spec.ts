import { describe, expect, it } from '@jest/globals';
import { JsonObject } from '#json';
import { refusedResponsesField } from './responses-guard.ts';

const refused = (body: string) => refusedResponsesField(JsonObject.of(Buffer.from(body)));
const param = (body: string): string | undefined => refused(body)?.param;
const input = (value: string): string => `{"model":"m","input":${value}}`;
const FILE = '{"type":"input_file","file_id":"f-1"}';

describe('refusedResponsesField', () => {
  it.each([
    ['previous_response_id', '{"previous_response_id":"resp_1"}'],
    ['previous_response_id', '{"previous_response_id":""}'],
    ['previous_response_id', '{"previous_response_id":false}'],
    ['conversation', '{"conversation":"conv_1"}'],
    ['conversation', '{"conversation":{"id":"conv_1"}}'],
    ['background', '{"background":true}'],
    ['background', '{"background":"false"}'],
    ['background', '{"background":0}'],
    ['background', '{"background":{}}'],
    ['file_id', input(`[${FILE}]`)],
    ['file_id', input('[{"type":"input_image","file_id":"f-1"}]')],
    ['file_id', input('[{"type":"computer_screenshot","file_id":"f-1"}]')],
  ])('names %s in %s', (field, body) => {
    expect(refused(body)).toEqual({ param: field, message: `field "${field}" is not supported by the router` });
  });

  it.each(['{}', '1', 'true', 'false'])('refuses the input %s, which is neither a list nor a text', (value) => {
    expect(refused(input(value))).toEqual({
      param: 'input',
      message: 'field "input" could not be read as a JSON array or string',
    });
  });

  it.each([
    ['nothing stateful', '{"model":"m","input":"hi"}'],
    [
      'null in every stateful field',
      '{"previous_response_id":null,"conversation":null,"background":null,"input":null}',
    ],
    ['background: false', '{"background":false}'],
    ['store', '{"store":true,"input":"hi"}'],
    ['no input', '{"model":"m"}'],
    ['an empty list', input('[]')],
    ['a text that holds the words', input(String.raw`"{\"type\":\"input_file\",\"file_id\":\"f-1\"}"`)],
    ['a file given inline', input('[{"type":"input_file","file_data":"AAAA","filename":"file_id"}]')],
    ['a null file_id', input('[{"type":"input_image","image_url":"data:,","file_id":null}]')],
    ['a file_id of another type', input('[{"type":"file_citation","file_id":"f-1"}]')],
    ['a file_id without a type', input('[{"file_id":"f-1"}]')],
    ['a file_id beside a type that is no string', input('[{"type":["input_file"],"file_id":"f-1"}]')],
    ['a file_id in an object within the part', input('[{"type":"input_image","x":{"file_id":"f-1"}}]')],
    ['a file_id around a part', input('[{"file_id":"f-1","type":"message","content":[{"type":"input_image"}]}]')],
    ['values that look like keys', input('[{"type":"input_image","x":"file_id","y":["file_id","type"]}]')],
    ['a file_id outside of input', '{"input":[],"metadata":{"type":"input_file","file_id":"f-1"}}'],
  ])('serves a request with %s', (_, body) => {
    expect(refused(body)).toBeUndefined();
  });

  it.each([
    ['previous_response_id', `{"input":[${FILE}],"background":true,"conversation":"c","previous_response_id":"r"}`],
    ['conversation', `{"input":1,"background":true,"conversation":"c"}`],
    ['background', `{"input":[${FILE}],"background":true}`],
  ])('names %s first, wherever the others stand', (field, body) => {
    expect(param(body)).toBe(field);
  });

  it.each([
    ['in the content of a message', input(`[{"role":"user","content":[{"type":"input_text","text":"x"},${FILE}]}]`)],
    ['in the output of a call', input(`[{"type":"function_call_output","output":[${FILE}]}]`)],
    ['under any key', input(`[{"x":{"y":[[${FILE}]]}}]`)],
    ['before its type', input('[{"file_id":"f-1","x":{"type":"text"},"type":"input_file"}]')],
    ['with white space around everything', input('[ { "type" : "input_file" , "file_id" : "f-1" } ]')],
    ['whose value is no string', input('[{"type":"input_file","file_id":{"a":1}}]')],
    ['whose keys and type are escaped', input(String.raw`[{"t\u0079pe":"input\u005ffile","file\u005fid":"f-1"}]`)],
    ['behind strings with quotes', input(String.raw`[{"x":"\\\"","type":"input_file","y":"a\"b","file_id":"f-1"}]`)],
    ['that is the last of several', input('[{"type":"input_file","file_id":null,"file_id":"f-1"}]')],
    ['whose type is the last of several', input('[{"type":"x","type":"input_file","file_id":"f-1"}]')],
  ])('finds a file_id %s', (_, body) => {
    expect(param(body)).toBe('file_id');
  });

  it('reads the last of repeated keys', () => {
    expect(param('{"background":true,"background":false}')).toBeUndefined();
    expect(param('{"backgr\\u006fund":false,"background":true}')).toBe('background');
    expect(param(input('[{"type":"input_file","file_id":"f-1","file_id":null}]'))).toBeUndefined();
  });

  it('looks as deep as a body may be', () => {
    const depth = 500;
    expect(param(input(`[${'{"x":['.repeat(depth)}${FILE}${']}'.repeat(depth)}]`))).toBe('file_id');
  });

  it('takes one pass, however the objects lie in one another', () => {
    const depth = 500;
    const long = `[${'[],'.repeat(300_000)}[]]`;
    const nested = (key: string): string =>
      input(`[${`{"${key}":`.repeat(depth)}{"file_id":${long}}${'}'.repeat(depth)}]`);
    const time = (body: JsonObject): number => {
      const started = performance.now();
      expect(refusedResponsesField(body)).toBeUndefined();
      return performance.now() - started;
    };
    const [plain, keyed] = ['x', 'type'].map((key) => JsonObject.of(Buffer.from(nested(key))));
    if (plain === undefined || keyed === undefined) throw new Error('two bodies were made');
    expect(time(keyed)).toBeLessThan(20 * time(plain) + 100);
  });
});
