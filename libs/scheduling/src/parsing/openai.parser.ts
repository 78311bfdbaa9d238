import { z } from 'zod';
import type { JsonObject } from '#json';
import { HTTP_PROTOCOLS } from '../app-protocol.ts';
import type { Parser } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest, RequestHeaders } from '../scheduling-request.ts';
import { commonFields, maxTokensOf, openBody } from './json-body.ts';
import { OPENAI_FORMATS } from './openai-formats.ts';
import type { OpenAiFormat } from './openai-formats.ts';
import { paced } from './paced.ts';
import { requestPath } from './request-path.ts';

const openAiParams = z
  .strictObject({
    readTokensField: z
      .boolean()
      .default(true)
      .describe('Take the token ids that a chat has in `tokens` for its prompt, as the coordinator sends them.'),
    stripTokensField: z
      .boolean()
      .default(false)
      .describe('Take that field out of the body: for workers that refuse fields they do not know.'),
  })
  .prefault({});

type OpenAiParams = z.output<typeof openAiParams>;

const TOKENS = 'tokens';

/** Reads the bodies of OpenAI's APIs. */
@SchedulingPlugin({ type: 'openai-parser', parameters: openAiParams })
export class OpenAiParser implements Parser {
  readonly suffixes = OPENAI_FORMATS.flatMap(({ suffixes }) => suffixes);
  readonly appProtocols = HTTP_PROTOCOLS;

  constructor(private readonly params: OpenAiParams = openAiParams.parse(undefined)) {}

  /**
   * @param path without its query; where it is not given, the one that the headers tell
   * @throws SchedulingError with BadRequest
   */
  async parse(body: Buffer, headers: RequestHeaders, path = requestPath(headers)): Promise<ParsedRequest> {
    const format = formatOf(path);
    const { limits, rendering } = format;
    const object = await openBody(body);
    const { readTokensField, stripTokensField } = this.params;
    const read = readTokensField ? object : object.remove(TOKENS);
    const { prompts, words, hasMedia } = await paced(format.read(read));
    const isStripped = stripTokensField && hasTokens(object);
    return {
      ...commonFields(object, isStripped ? object.remove(TOKENS) : object),
      ...(isStripped && { isChanged: true }),
      hasMedia,
      maxTokens: maxTokensOf(...limits.map((key) => object.get(key))),
      prompts: () => prompts,
      words,
      ...(rendering === undefined ? {} : { rendering }),
    };
  }
}

/** Whether the field is what a coordinator puts there; anything else under its name is the client's own. */
function hasTokens(body: JsonObject): boolean {
  const ids = body.get(TOKENS)?.member('token_ids');
  return ids !== undefined && !ids.isNull;
}

function formatOf(path: string): OpenAiFormat {
  const format = OPENAI_FORMATS.find(({ suffixes }) => suffixes.some((suffix) => path.endsWith(suffix)));
  if (format === undefined) throw new SchedulingError('BadRequest', 'unsupported API endpoint');
  return format;
}
