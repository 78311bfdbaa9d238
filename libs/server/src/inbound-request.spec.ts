import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { joinRope } from '#json';
import type { InboundRequest } from '#pipeline';
import { pathOf } from '#protocol';
import type { RequestFormat } from '#protocol';
import { inboundRequest, requestScope } from './inbound-request.ts';
import type { ScopeOptions } from './inbound-request.ts';

const OPTIONS: ScopeOptions = {
  id: 'req-1',
  signal: new AbortController().signal,
  rawHeaders: [],
  dropped: new Set(),
  revisionId: false,
  isPassthrough: false,
};

function scopeOf(changes: Partial<ScopeOptions>) {
  return requestScope({ ...OPTIONS, ...changes });
}

function read(body: string | Buffer, format: RequestFormat = 'chat', trusted = false): Promise<InboundRequest> {
  return inboundRequest(requestScope(OPTIONS), format, pathOf(format), Buffer.from(body), trusted);
}

async function refusal(body: string | Buffer, format: RequestFormat = 'chat'): Promise<BadRequestError> {
  const error: unknown = await read(body, format).catch((thrown: unknown) => thrown);
  if (error instanceof BadRequestError) return error;
  throw new Error('was not refused');
}

/** The body as steps get it. */
async function bodyOf(body: string, trusted = false): Promise<string> {
  return joinRope((await read(body, 'chat', trusted)).body.toRope()).toString();
}

describe('requestScope', () => {
  it('has the headers that go on, the trace context beside them', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const rawHeaders = [
      'Authorization',
      'Bearer k',
      'Traceparent',
      traceparent,
      'EPP-Profile',
      'decode',
      'X-Mine',
      '1',
    ];
    expect(scopeOf({ rawHeaders, dropped: new Set(['x-mine']) })).toEqual({
      id: 'req-1',
      signal: OPTIONS.signal,
      headers: ['authorization', 'Bearer k'],
      trace: { traceparent },
    });
  });

  it('has an id of the revision decision only where that is wanted, a new one each time', () => {
    expect(scopeOf({})).not.toHaveProperty('revisionId');
    const ids = [scopeOf({ revisionId: true }), scopeOf({ revisionId: true })].map(({ revisionId }) => revisionId);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('inboundRequest', () => {
  it('is what came in, byte for byte', async () => {
    const body = '{ "model":"m", "seed":9007199254740993,"x":{"__proto__":1E5}, "x":1.0}\n';
    expect(await bodyOf(body)).toBe(body);
  });

  it('knows format and path', async () => {
    expect(await read('{}', 'generate')).toMatchObject({ format: 'generate', path: '/inference/v1/generate' });
  });

  it.each([
    ['{"model":"m"}', 'm'],
    ['{"mod\\u0065l":"m"}', 'm'],
    ['{"model":"allowed","model":"blocked"}', 'blocked'],
    ['{"model":"allowed","mod\\u0065l":"blocked"}', 'blocked'],
    ['{"model":"m","x":{"model":"n"}}', 'm'],
    ['{"model":7}', undefined],
    ['{"model":"m","model":null}', undefined],
    ['{}', undefined],
  ])('reads the model of %s as %p', async (body, model) => {
    expect((await read(body)).model).toBe(model);
  });

  it.each([
    ['{"stream":true}', true],
    ['{"stream":false,"stream":true}', true],
    ['{"stream":true,"stream":false}', false],
    ['{"stream":true,"str\\u0065am":false}', false],
    ['{"stream":"true"}', false],
    ['{"stream":1}', false],
    ['{"stream":null}', false],
    ['{"x":{"stream":true}}', false],
    ['{}', false],
  ])('reads %s as a stream: %p', async (body, stream) => {
    expect((await read(body)).stream).toBe(stream);
  });

  describe('a body that is none', () => {
    it.each(['[]', 'null', '"x"', '7', 'true'])('is refused where it is %s', async (body) => {
      expect(await refusal(body)).toMatchObject({
        status: 400,
        code: 'invalid_body',
        message: 'the body is not a JSON object',
      });
    });

    it.each(['', '{', '{"a":}', '{"a":1,}', "{'a':1}", '{"a":01}', '{"a":NaN}', '{"a":1}{"b":2}', '\ufeff{}'])(
      'is refused where it is %p',
      async (body) => {
        expect(await refusal(body)).toMatchObject({ status: 400, code: 'invalid_body' });
      },
    );

    it('is refused where it is not UTF-8', async () => {
      const body = Buffer.from('{"a":"\xe4\xb8"}', 'latin1');
      expect(await refusal(body)).toMatchObject({ status: 400, code: 'invalid_body' });
    });

    it.each([
      [512, true],
      [513, false],
      [1_000_000, false],
    ])('may be nested %i levels deep: %p', async (levels, isAllowed) => {
      const body = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      if (isAllowed) await read(body);
      else expect(await refusal(body)).toMatchObject({ status: 400, code: 'invalid_body' });
    });

    it('is refused without a word of what is in it', async () => {
      const { message } = await refusal('{"a":SECRET}');
      expect(message).toMatch(/^invalid JSON body/);
      expect(message).not.toContain('SECRET');
    });
  });

  describe('of /v1/responses', () => {
    it.each([
      ['{"previous_response_id":"r"}', 'previous_response_id'],
      ['{"conversation":{"id":"c"}}', 'conversation'],
      ['{"background":true}', 'background'],
      ['{"background":"false"}', 'background'],
      ['{"input":7}', 'input'],
      ['{"input":[{"type":"input_image","file_id":"f"}]}', 'file_id'],
    ])('%s is refused, for it needs stored state', async (body, param) => {
      expect(await refusal(body, 'responses')).toMatchObject({ status: 400, code: 'unsupported_field', param });
    });

    it('is served where it needs none', async () => {
      await read('{"input":"hi","store":true,"background":false,"conversation":null}', 'responses');
    });

    it('is not looked at on other paths', async () => {
      await read('{"previous_response_id":"r","background":true}', 'chat');
    });
  });

  describe('transfer parameters', () => {
    it.each([
      ['{"a":1,"kv_transfer_params":{"remote_host":"10.0.0.9"}}', '{"a":1}'],
      ['{"ec_transfer_params":{},"a":1}', '{"a":1}'],
      ['{"tokens":{"token_ids":[1]},"a":1}', '{"a":1}'],
      ['{"kv_transfer_params":1,"a":1,"kv_transfer_params":2}', '{"a":1}'],
      ['{"kv_transf\\u0065r_params":1,"a":1}', '{"a":1}'],
      [
        '{"sampling_params":{"n":1,"extra_args":{"kv_transfer_params":{},"x":1.0}}}',
        '{"sampling_params":{"n":1,"extra_args":{"x":1.0}}}',
      ],
      [
        '{"sampling_params":{"extra_args":{"ec_transfer_params":1,"tokens":2}}}',
        '{"sampling_params":{"extra_args":{}}}',
      ],
      ['{"sampling_params":{"extra_args":{"tok\\u0065ns":2,"y":3}}}', '{"sampling_params":{"extra_args":{"y":3}}}'],
    ])('of a client are taken out: %s', async (body, expected) => {
      expect(await bodyOf(body)).toBe(expected);
    });

    it.each([
      '{"x":{"kv_transfer_params":1}}',
      '{"messages":[{"tokens":1}]}',
      '{"sampling_params":{"tokens":1}}',
      '{"sampling_params":{"extra_args":{"x":{"tokens":1}}}}',
      '{"sampling_params":[{"extra_args":{"tokens":1}}]}',
      '{"sampling_params":{"extra_args":[{"tokens":1}]}}',
      '{"extra_args":{"tokens":1}}',
      '{"max_tokens":1,"token_ids":[1]}',
    ])('are nothing but what is called so at its place: %s', async (body) => {
      expect(await bodyOf(body)).toBe(body);
    });

    it('stay where the deployment trusts its clients', async () => {
      const body = '{"kv_transfer_params":{},"tokens":1,"sampling_params":{"extra_args":{"ec_transfer_params":1}}}';
      expect(await bodyOf(body, true)).toBe(body);
    });
  });
});
