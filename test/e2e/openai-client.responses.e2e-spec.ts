import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { png } from '../../apps/simulator/src/media/png.ts';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('responses, models and request ids through the openai client', () => {
  let stack: Stack;
  let client: OpenAI;
  /** Past the coordinator, straight to the decode worker. */
  let worker: OpenAI;

  beforeAll(async () => {
    stack = await startStack();
    client = openAi(stack.url);
    worker = openAi(stack.url, { defaultHeaders: { 'EPP-Profile': 'decode' } });
  });
  afterAll(() => stack.stop());

  const phases = (id: string): string => phaseNames(stack.cluster.requests.of(id));
  const ask = (topic: string) => ({
    model: 'sim-model',
    instructions: 'Answer in plain words.',
    input: `${topic}: tell me in a few words how it came to be, and what it is good for today.`,
  });

  it('answers a response whole, by way of every phase, as the worker does', async () => {
    const answer = await client.responses.create(ask('Paper'), withId('resp-whole'));
    expect(phases('resp-whole')).toBe('render, probe 412, prefill, decode');
    expect(answer.status).toBe('completed');
    expect(answer.output_text).toBe((await worker.responses.create(ask('Paper'))).output_text);
    expect(answer.usage?.output_tokens).toBeGreaterThan(0);
  });

  it('streams a response as its named events, in sequence, to the same text', async () => {
    const stream = await client.responses.create({ ...ask('Glass'), stream: true }, withId('resp-stream'));
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(phases('resp-stream')).toBe('render, probe 412, prefill, decode');
    expect(events.at(0)?.type).toBe('response.created');
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    const deltas = events.filter((event) => event.type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe((await worker.responses.create(ask('Glass'))).output_text);
  });

  it('calls a function, streamed', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tool = { type: 'function' as const, name: 'weather', parameters, strict: false };
    const stream = client.responses.stream({ ...ask('Rain'), tools: [tool], tool_choice: 'required' });
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: 'function_call', name: 'weather', arguments: '{"city":"value"}' },
    ]);
  });

  it('has the images of a response encoded, by URL and inline', async () => {
    const inline = `data:image/png;base64,${png(90, 60, [1, 2, 3]).toString('base64')}`;
    const input_image = (image_url: string) => ({ type: 'input_image' as const, image_url, detail: 'auto' as const });
    const content = [
      { type: 'input_text' as const, text: 'What is the difference?' },
      input_image(`${stack.cluster.media.url}/red.png`),
      input_image(inline),
    ];
    const answer = await client.responses.create(
      { model: 'sim-model', input: [{ role: 'user', content }] },
      withId('resp-images'),
    );
    expect(answer.status).toBe('completed');
    expect(phases('resp-images')).toBe('render, probe 412, encode×2, prefill, decode');
  });

  it.each([
    { what: 'previous_response_id', fields: { previous_response_id: 'resp_1' } },
    { what: 'conversation', fields: { conversation: 'conv_1' } },
    { what: 'background', fields: { background: true } },
  ])('refuses $what, which needs state that nobody keeps', async ({ what, fields }) => {
    const refused = client.responses.create({ ...ask('State'), ...fields });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: what, code: 'unsupported_field' });
  });

  it('lists the models of a worker, by way of the passthrough', async () => {
    stack.cluster.requests.clear();
    const models = await client.models.list(withId('models-1'));
    expect(models.data.map(({ id }) => id)).toEqual(['sim-model']);
    expect(stack.cluster.requests.of('models-1').map(({ server }) => server)).toEqual(['gateway', 'decode-1']);
  });

  it('gives the request id that the client chose back, on every kind of answer', async () => {
    const chat = { model: 'sim-model', messages: [{ role: 'user' as const, content: 'Hello.' }] };
    expect((await client.chat.completions.create(chat, withId('mine-1')))._request_id).toBe('mine-1');
    expect((await client.responses.create(ask('Ids'), withId('mine-2')))._request_id).toBe('mine-2');
    expect((await client.models.list(withId('mine-3')).withResponse()).request_id).toBe('mine-3');
    const streamed = client.chat.completions.create({ ...chat, stream: true }, withId('mine-4'));
    expect((await streamed.withResponse()).request_id).toBe('mine-4');
    await expect(client.completions.create({ model: 'm', prompt: ['a', 'b'] }, withId('mine-5'))).rejects.toMatchObject(
      {
        requestID: 'mine-5',
      },
    );
  });

  it('makes a request id up where the client sent none, or one that could break a log', async () => {
    const chat = { model: 'sim-model', messages: [{ role: 'user' as const, content: 'Hello.' }] };
    const direct = openAi(stack.coordinatorUrl);
    expect((await direct.chat.completions.create(chat))._request_id).toMatch(UUID);
    expect((await direct.chat.completions.create(chat, withId('not_valid: here')))._request_id).toMatch(UUID);
  });
});
