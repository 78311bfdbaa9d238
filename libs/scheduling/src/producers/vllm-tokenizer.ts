import { Agent, request as send } from 'undici';
import type { Dispatcher } from 'undici';
import { JsonSyntaxError, JsonValue } from '#json';
import { fieldsOf } from '../parsing/json-body.ts';
import { paced } from '../parsing/paced.ts';
import type { Steps } from '../parsing/paced.ts';
import { tokenFeatures } from '../parsing/token-features.ts';
import { readTokenIds } from '../parsing/token-ids.ts';
import type { ParsedRequest, TokenizedPrompt } from '../scheduling-request.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { VllmParams } from './token.params.ts';

const PATHS = { chat: '/v1/chat/completions/render', completions: '/v1/completions/render' } as const;
/** Bytes of an answer: 2^24 tokens with eight characters each. */
const MAX_ANSWER = 128 * 1024 * 1024;

/** Has a vLLM make tokens of a request, as the workers would. */
export class VllmTokenizer {
  private readonly agent = new Agent({ connections: 64 });

  constructor(private readonly params: VllmParams) {}

  /** Milliseconds that any call may take. */
  get timeout(): number {
    return Math.max(this.params.timeout, this.params.mmTimeout);
  }

  /**
   * The prompts of a request; none of a body that no render endpoint takes.
   * @param signal ends the call
   * @throws Error when the service cannot be reached, or answers something else
   */
  async tokenize(parsed: ParsedRequest, signal?: AbortSignal): Promise<readonly TokenizedPrompt[]> {
    const { rendering, withModel, hasMedia } = parsed;
    if (rendering === undefined || withModel === undefined) return [];
    const { url, timeout, mmTimeout, modelName } = this.params;
    const limit = AbortSignal.timeout(hasMedia ? mmTimeout : timeout);
    const answer = await send(`${url.replace(/\/$/, '')}${PATHS[rendering]}`, {
      dispatcher: this.agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: withModel(modelName),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    return readAnswer(await bytesOf(answer));
  }
}

async function bytesOf({ statusCode, body }: Dispatcher.ResponseData): Promise<Buffer> {
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`render answered with status ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    // a body without an encoding is read as buffers
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > MAX_ANSWER) throw new Error('render answered with too much');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** One prompt, or a list of them. */
async function readAnswer(bytes: Buffer): Promise<readonly TokenizedPrompt[]> {
  try {
    return await paced(readPrompts(JsonValue.read(bytes)));
  } catch (error) {
    const isTheirs = error instanceof JsonSyntaxError || error instanceof SchedulingError;
    throw isTheirs ? new Error(`render answered with something else: ${error.message}`) : error;
  }
}

function* readPrompts(answer: JsonValue): Steps<readonly TokenizedPrompt[]> {
  const prompts: TokenizedPrompt[] = [];
  for (const prompt of answer.kind === 'array' ? answer.items() : [answer]) {
    const fields = fieldsOf(prompt);
    const list = fields.get('token_ids');
    if (list === undefined) throw new Error('render answered without token_ids');
    const ids = yield* readTokenIds(list, 'token_ids');
    prompts.push({ ids, features: tokenFeatures(fields.get('features'), ids.length) });
    yield;
  }
  return prompts;
}
