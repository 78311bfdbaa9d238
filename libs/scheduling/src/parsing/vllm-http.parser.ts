import { z } from 'zod';
import { HTTP_PROTOCOLS } from '../app-protocol.ts';
import type { Parser } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest } from '../scheduling-request.ts';
import { commonFields, maxTokensOf, openBody } from './json-body.ts';
import { paced } from './paced.ts';
import { oneOfIds } from './prompt-content.ts';

/** Reads the bodies of vLLM's own generate API, which come with their tokens. */
@SchedulingPlugin({ type: 'vllmhttp-parser', parameters: z.strictObject({}).prefault({}) })
export class VllmHttpParser implements Parser {
  readonly suffixes = ['inference/v1/generate'];
  readonly appProtocols = HTTP_PROTOCOLS;

  /** @throws SchedulingError with BadRequest */
  async parse(body: Buffer): Promise<ParsedRequest> {
    const object = await openBody(body);
    const list = object.get('token_ids');
    if (list === undefined || list.isNull || list.items().next().done === true) {
      throw new SchedulingError('BadRequest', 'invalid generate request: must have token_ids field');
    }
    const { prompts, hasMedia } = await paced(oneOfIds(list, 'token_ids', object.get('features')));
    const limit = object.get('sampling_params')?.member('max_tokens');
    return { ...commonFields(object), hasMedia, maxTokens: maxTokensOf(limit), prompts: () => prompts };
  }
}
