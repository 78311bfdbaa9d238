import { once } from 'node:events';
import { connect } from 'node:http2';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { eventually } from './support/eventually.ts';
import { pickerConfig } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import { openChat, readText } from './support/streaming.client.ts';
import type { SentHeaders } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const chat = (model: string, changes: object = {}): object => ({
  model,
  stream: true,
  messages: [{ role: 'user', content: 'hi' }],
  ...changes,
});
const content = (text: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
const USAGE = '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}';
const DONE = 'data: [DONE]\n\n';

withEnvoy('an answer through a real Envoy and its picker', () => {
  let worker: ScriptedWorker;
  let stack: PickerStack;
  beforeAll(async () => {
    worker = await ScriptedWorker.start('decode-1', 'decode', (_request, response) => void response.end());
    const picker = (endpoints: string) => ({ name: 'decode', config: pickerConfig(endpoints, ['decode']) });
    stack = await startPickerStack({ workers: [worker], picker });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(async () => {
    await stack.stop();
    await worker.close();
  });

  const ask = async (body: object, headers: SentHeaders = {}): Promise<string> =>
    readText(await openChat(stack.url, body, headers));

  /** Token counts that the picker has read for a model: requests, prompt tokens, output tokens. */
  const usageOf = (model: string): Promise<readonly number[]> =>
    Promise.all(
      ['input_tokens_count', 'input_tokens_sum', 'output_tokens_sum'].map((name) =>
        metricOf(stack.picker, `llm_d_epp_request_${name}`, { model_name: model }),
      ),
    );

  it('is passed on event by event while the worker makes it', async () => {
    let answered: ServerResponse | undefined;
    worker.script = (_request, response) => {
      answered = response.writeHead(200, EVENT_STREAM);
      response.write(content('0'));
    };
    const answer = await openChat(stack.url, chat('m'));
    let text = '';
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    // the worker says nothing more until the client has all that it said
    for (let i = 1; i < 20; i++) {
      await eventually(() => text.endsWith(content(String(i - 1))));
      answered?.write(content(String(i)));
    }
    answered?.end(DONE);
    await once(answer, 'end');
    expect(text).toBe(Array.from({ length: 20 }, (_, i) => content(String(i))).join('') + DONE);
  });

  it.each([
    [
      'a usage event that is cut in two',
      [content('a'), `data: ${USAGE.slice(0, 20)}`, `${USAGE.slice(20)}\n`, `\n${DONE}`],
    ],
    ['lines that end with CR and LF', [`data: ${USAGE}\r\n\r\n`, 'data: [DONE]\r\n\r\n']],
    ['no space behind the colon', [`data:${USAGE}\n\n`, 'data:[DONE]\n\n']],
    ['lines that end with CR alone', [`data:${USAGE}\r\r`, 'data:[DONE]\r\r']],
    ['several events in one write', [content('a') + `data: ${USAGE}\n\n${DONE}`]],
    ['comments between events', [': ping\n\n', `data: ${USAGE}\n\n`, ': ping\n\n', DONE]],
    ['a character that is cut in two', [Buffer.from([0xe4]), Buffer.from([0xb8, 0xad]), `\n\ndata: ${USAGE}\n\n`]],
  ] as const)('is the worker’s byte for byte, and its usage is read once: %s', async (name, pieces) => {
    worker.script = async (_request, response) => {
      response.writeHead(200, EVENT_STREAM);
      await written(response, pieces);
    };
    const model = `usage: ${name}`;
    expect(await ask(chat(model))).toBe(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString());
    await eventually(async () => (await usageOf(model))[0] === 1);
    expect(await usageOf(model)).toEqual([1, 5, 7]);
  });

  it.each([65_535, 65_536, 65_537, 1024 * 1024 + 1, 2 * 1024 * 1024])(
    'may have a line of %i bytes, whose beginning is passed on before its end is there',
    async (length) => {
      const model = `line of ${length}`;
      const line = content('x'.repeat(length - content('').trimEnd().length));
      const half = line.length >> 1;
      let goOn = (): void => undefined;
      const reached = new Promise<void>((resolve) => (goOn = resolve));
      worker.script = async (_request, response) => {
        response.writeHead(200, EVENT_STREAM).write(line.slice(0, half));
        await reached;
        response.end(`${line.slice(half)}data: ${USAGE}\n\n${DONE}`);
      };
      const answer = await openChat(stack.url, chat(model));
      let read = 0;
      answer.on('data', (piece: Buffer) => {
        read += piece.length;
      });
      await eventually(() => read === half);
      goOn();
      await once(answer, 'end');
      expect(read).toBe(`${line}data: ${USAGE}\n\n${DONE}`.length);
      await eventually(async () => (await usageOf(model))[0] === 1);
      expect(await usageOf(model)).toEqual([1, 5, 7]);
    },
  );

  it.each([
    { stream: true, space: '' },
    { stream: true, space: ' ' },
    { stream: false, space: '' },
    { stream: false, space: ' ' },
  ])('has the model that the client named, where another one served it: %j', async ({ stream, space }) => {
    const data = (model: string): string => `{"id":"1","model":${space}"${model}","choices":[]}`;
    const whole = (model: string): string =>
      stream ? `data: ${data(model)}\n\ndata: ${data(model)}\n\n${DONE}` : data(model);
    worker.script = (_request, response) => {
      const type = stream ? EVENT_STREAM : { 'content-type': 'application/json' };
      response.writeHead(200, { ...type, 'content-length': whole('served').length }).end(whole('served'));
    };
    const rewrite = { 'x-llm-d-model-name-rewrite': 'served' };
    expect(await ask(chat('the-one-that-was-asked-for', { stream }), rewrite)).toBe(
      whole('the-one-that-was-asked-for'),
    );
  });

  it('keeps headers that come twice, and has those of one connection for itself', async () => {
    worker.script = async (_request, response) => {
      response.writeHead(200, {
        ...EVENT_STREAM,
        'set-cookie': ['a=1', 'b=2'],
        connection: 'keep-alive, x-foo',
        'keep-alive': 'timeout=5',
        te: 'trailers',
        'x-foo': '1',
        'x-bar': '2',
      });
      await written(response, ['1', '2', '3', '4', '5']);
    };
    const over1 = await openChat(stack.url, chat('m'));
    expect(await readText(over1)).toBe('12345');
    expect(over1.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-bar': '2' });
    expect(over1.rawHeaders.filter((name) => name.toLowerCase() === 'transfer-encoding')).toHaveLength(1);
    const over2 = await askOverHttp2(stack.url, chat('m'));
    expect(over2.text).toBe('12345');
    for (const name of ['transfer-encoding', 'connection', 'keep-alive'])
      expect(over2.headers).not.toHaveProperty(name);
  });

  it.each([404, 422, 500])('of %i is the worker’s', async (status) => {
    worker.script = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"error":"so"}');
    };
    const answer = await openChat(stack.url, chat('m'));
    expect([answer.statusCode, answer.headers['retry-after'], await readText(answer)]).toEqual([
      status,
      '7',
      '{"error":"so"}',
    ]);
  });

  it('that breaks off is broken for the client, too, and leaves nothing in flight', async () => {
    const begun = Promise.withResolvers<undefined>();
    worker.script = async (_request, response) => {
      response.writeHead(200, EVENT_STREAM).write(content('a'));
      // a reset before the head has come through is an answer of Envoy's own
      await begun.promise;
      response.socket?.resetAndDestroy();
    };
    const answer = await openChat(stack.url, chat('m'));
    const text = readText(answer);
    begun.resolve(undefined);
    await expect(text).rejects.toThrow('aborted');
    await nothingInFlight();
  });

  it('that its client leaves ends at the worker, and leaves nothing in flight', async () => {
    worker.script = (_request, response) => {
      response.writeHead(200, EVENT_STREAM).write(content('a'));
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => openChat(stack.url, chat('m'))));
    expect(await metricOf(stack.picker, 'llm_d_epp_request_running')).toBe(20);
    const left = worker.requests.slice(-20);
    for (const answer of answers) answer.destroy();
    expect(await Promise.all(left.map(({ aborted }) => aborted))).toEqual(left.map(() => true));
    await nothingInFlight();
  });

  async function nothingInFlight(): Promise<void> {
    const names = ['request_running', 'extproc_streams_inflight', 'inflight_requests', 'inflight_tokens'];
    await eventually(async () => {
      const values = await Promise.all(names.map((name) => metricOf(stack.picker, `llm_d_epp_${name}`)));
      return values.every((value) => value === 0);
    });
  }
});

/** Each piece leaves in a packet of its own. */
async function written(response: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    response.write(piece);
    await sleep(10);
  }
  response.end();
}

async function askOverHttp2(url: string, body: object): Promise<{ headers: object; text: string }> {
  const session = connect(url);
  const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions' });
  stream.end(JSON.stringify(body));
  const [headers] = (await once(stream, 'response')) as [object]; // as Node documents it
  let text = '';
  for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) text += piece;
  session.close();
  return { headers, text };
}
