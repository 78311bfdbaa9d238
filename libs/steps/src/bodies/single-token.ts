import { rawJson } from '#json';
import type { JsonObject, Rope } from '#json';
import type { RequestFormat } from '#protocol';

const ONE = rawJson('1');
const FALSE = rawJson('false');
type Members = Readonly<Record<string, Rope | undefined>>;

/**
 * What makes a copy of the client's body answer with one token and at once: a cap in the field that the API has for it,
 * no minimum, no streaming. `undefined` removes a member.
 * @see coordinator.md C.1, decisions.md P4
 */
export function singleTokenMembers(body: JsonObject, format: Exclude<RequestFormat, 'generate'>): Members {
  const common = { min_tokens: undefined, stream_options: undefined, stream: FALSE };
  switch (format) {
    case 'chat':
      return {
        max_tokens: ONE,
        ...(body.has('max_completion_tokens') ? { max_completion_tokens: ONE } : {}),
        ...common,
      };
    case 'completions':
      return { max_tokens: ONE, ...common };
    case 'responses':
      return { max_output_tokens: ONE, ...common, store: FALSE };
  }
}

/** The same for a body that is built anew: only what is present, in wire order. */
export function builtSingleToken(body: JsonObject, format: Exclude<RequestFormat, 'generate'>): Record<string, Rope> {
  const members = Object.entries(singleTokenMembers(body, format));
  return Object.fromEntries(members.filter((member): member is [string, Rope] => member[1] !== undefined));
}
