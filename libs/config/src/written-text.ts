import { z } from 'zod';
import { notWhatIsExpected } from './issue-message.ts';

/** The text that a field is written as. What is known of it goes into the JSON Schema of the file. */
export function writtenText(what: string, json: { pattern: string; format?: string; examples: string[] }): z.ZodString {
  return z.string({ error: ({ input }) => notWhatIsExpected(what, input) }).meta(json);
}
