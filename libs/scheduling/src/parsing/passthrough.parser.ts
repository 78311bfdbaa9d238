import { z } from 'zod';
import type { Parser } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { ParsedRequest, TokenizedPrompt } from '../scheduling-request.ts';

const NO_PROMPTS: readonly TokenizedPrompt[] = [];

/** Takes what no other parser does, and leaves it unread. */
@SchedulingPlugin({ type: 'passthrough-parser', parameters: z.strictObject({}).prefault({}) })
export class PassthroughParser implements Parser {
  readonly suffixes: readonly string[] = [];

  parse(): ParsedRequest {
    return {
      model: undefined,
      isStream: false,
      hasMedia: false,
      cacheSalt: '',
      maxTokens: undefined,
      prompts: () => NO_PROMPTS,
    };
  }
}
