import { z } from 'zod';
import type { Parser } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest, RequestHeaders } from '../scheduling-request.ts';
import { commonFields, maxTokensOf, openBody } from './json-body.ts';
import { OPENAI_FORMATS } from './openai-formats.ts';
import type { OpenAiFormat } from './openai-formats.ts';
import { paced } from './paced.ts';
import { requestPath } from './request-path.ts';

/** Reads the bodies of OpenAI's APIs. */
@SchedulingPlugin({ type: 'openai-parser', parameters: z.strictObject({}).prefault({}) })
export class OpenAiParser implements Parser {
  readonly suffixes = OPENAI_FORMATS.flatMap(({ suffixes }) => suffixes);

  /**
   * @param path without its query; where it is not given, the one that the headers tell
   * @throws SchedulingError with BadRequest
   */
  async parse(body: Buffer, headers: RequestHeaders, path = requestPath(headers)): Promise<ParsedRequest> {
    const format = formatOf(path);
    const { limits, rendering } = format;
    const object = await openBody(body);
    const { prompts, words, hasMedia } = await paced(format.read(object));
    return {
      ...commonFields(object),
      hasMedia,
      maxTokens: maxTokensOf(...limits.map((key) => object.get(key))),
      prompts: () => prompts,
      words,
      ...(rendering === undefined ? {} : { rendering }),
    };
  }
}

function formatOf(path: string): OpenAiFormat {
  const format = OPENAI_FORMATS.find(({ suffixes }) => suffixes.some((suffix) => path.endsWith(suffix)));
  if (format === undefined) throw new SchedulingError('BadRequest', 'unsupported API endpoint');
  return format;
}
