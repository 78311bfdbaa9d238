import { FakeUpstream, json } from '#testing';
import type { Handler } from '#testing';

/** Answers of workers of each stage, as `nixlv2` and `ec-nixl` have them. */
const ENCODE: Handler = (_, response) => {
  json(response, { ec_transfer_params: { hash: { peer_host: 'h' } } });
};
const PREFILL: Handler = (_, response) => {
  const usage = { prompt_tokens: 8, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } };
  const kv_transfer_params = { remote_engine_id: 'e', remote_block_ids: [1], remote_host: 'h', remote_port: 1 };
  json(response, { choices: [{ finish_reason: 'length' }], usage, kv_transfer_params });
};
/** A stream where that is asked for; one of more than a thousand tokens does not end by itself. */
const DECODE: Handler = ({ body }, response) => {
  const text = body.toString();
  if (!text.includes('"stream":true')) {
    json(response, { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] });
    return;
  }
  const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event({ role: 'assistant' }) + event({ content: 'a' }));
  if (!/"max_tokens":\d{4}/.test(text)) response.end('data: [DONE]\n\n');
};

/** A worker for each stage of a request, and an engine that decodes. */
export class StageWorkers {
  private constructor(
    readonly encode: FakeUpstream,
    readonly prefill: FakeUpstream,
    readonly decode: FakeUpstream,
  ) {}

  static async start(): Promise<StageWorkers> {
    return new StageWorkers(
      await FakeUpstream.start(ENCODE),
      await FakeUpstream.start(PREFILL),
      await FakeUpstream.start(DECODE),
    );
  }

  async close(): Promise<void> {
    for (const worker of [this.encode, this.prefill, this.decode]) await worker.close();
  }
}
