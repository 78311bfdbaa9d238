import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UpstreamAnswerError, UpstreamError } from '#foundation';
import type { JsonObject } from '#json';
import { FakeUpstream } from '#testing';
import type { Handler } from '#testing';
import { answerBytes, jsonAnswer } from './json-answer.ts';
import type { UpstreamReply } from './upstream-call.ts';
import { aCall, aClient, failureOf } from './upstream.fixture.ts';

const LIMIT = 1024;
const client = aClient();
let upstream: FakeUpstream;

beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => void response.end());
});

afterAll(async () => {
  client.onApplicationShutdown();
  await upstream.close();
});

async function reply(handler: Handler): Promise<UpstreamReply> {
  upstream.handler = handler;
  return client.send(aCall(upstream.url));
}

/** The object that a step gets. */
async function answered(handler: Handler): Promise<JsonObject> {
  return jsonAnswer(await reply(handler), 'prefill', LIMIT);
}

function body(text: string, status = 200): Handler {
  return (_request, response) => void response.writeHead(status).end(text);
}

describe('jsonAnswer', () => {
  it('gives the object, whatever its content type', async () => {
    const object = await answered(body('{"a":[1.0]}'));
    expect(object.get('a')?.bytes.toString()).toBe('[1.0]');
  });

  it.each([
    { upstreamStatus: 400, status: 400 },
    { upstreamStatus: 404, status: 404 },
    { upstreamStatus: 412, status: 412 },
    { upstreamStatus: 429, status: 429 },
    { upstreamStatus: 500, status: 502 },
    { upstreamStatus: 503, status: 503 },
    { upstreamStatus: 504, status: 504 },
    { upstreamStatus: 201, status: 502 },
    { upstreamStatus: 204, status: 502 },
    { upstreamStatus: 302, status: 502 },
  ])('fails with $status where the upstream says $upstreamStatus', async ({ upstreamStatus, status }) => {
    const failure = await failureOf(answered(body('{"a":1}', upstreamStatus)));
    expect(failure).toBeInstanceOf(UpstreamError);
    expect(failure).toMatchObject({ step: 'prefill', upstreamStatus, status });
  });

  it('keeps what the upstream said out of the error', async () => {
    const failure = await failureOf(answered(body('{"error":"Bearer SECRET-123"}', 401)));
    expect(JSON.stringify(failure) + String(failure)).not.toContain('SECRET');
  });

  it.each([
    ['retry-after', '7'],
    ['retry-after', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['retry-after-ms', '1500'],
    ['x-llm-d-request-dropped-reason', 'ttl-expired'],
  ])('keeps %s: %s for the client', async (name, value) => {
    const failure = await failureOf(
      answered((_request, response) => {
        response.writeHead(429, { [name]: value, 'x-other': '1', 'content-type': 'text/html' }).end();
      }),
    );
    expect(failure).toMatchObject({ relayed: { [name]: value } });
    expect(Object.keys((failure as UpstreamError).relayed)).toEqual([name]); // instance is what the line above shows
  });

  it.each(['{"error":{"message":"no room"}}', '{"error":"x","a":1}', '{"error":false}', '{"error":{}}'])(
    'takes 200 with %s for a failure',
    async (text) => {
      const failure = await failureOf(answered(body(text)));
      expect(failure).toMatchObject({ status: 502, message: 'prefill answered 200 with an error in it' });
    },
  );

  it.each(['{"error":null}', '{"choices":[{"error":"x"}]}', '{}'])('takes 200 with %s for an answer', async (text) => {
    await expect(answered(body(text))).resolves.toBeDefined();
  });

  it.each(['', 'null', '[]', '"x"', '7', '{"a":NaN}', '{"a":-Infinity}', '{"a":1', '{"a":1} x', '{"a":"\xff"}'])(
    'takes 200 with %p for a failure: it is no JSON object',
    async (text) => {
      const failure = await failureOf(
        answered((_request, response) => void response.writeHead(200).end(Buffer.from(text, 'latin1'))),
      );
      expect(failure).toBeInstanceOf(UpstreamAnswerError);
      expect(failure).toMatchObject({
        status: 502,
        message: 'prefill answered something other than a JSON object',
      });
    },
  );

  it('takes an answer over the limit for a failure', async () => {
    const failure = await failureOf(answered(body(`{"a":"${'x'.repeat(LIMIT)}"}`)));
    expect(failure).toMatchObject({
      message: `prefill answered more than ${LIMIT} bytes (gateway.max_response_size)`,
    });
  });
});

describe('answerBytes', () => {
  it('gives the bytes of a 200, whatever they are', async () => {
    expect(String(await answerBytes(await reply(body('not JSON')), 'render', LIMIT))).toBe('not JSON');
  });

  it('fails for any other status', async () => {
    const failure = await failureOf(answerBytes(await reply(body('', 202)), 'render', LIMIT));
    expect(failure).toMatchObject({ step: 'render', status: 502, upstreamStatus: 202 });
  });
});
