import { BadRequestError, ERROR_CODES, errorBody } from '#foundation';
import { GENERATED, code, table } from './markdown.mjs';

const INTRODUCTION = `
Every error made here is an OpenAI error object, and its \`x-request-id\` is in the answer's header and at the end of the
message:

\`\`\`json
${errorBody(new BadRequestError('invalid_value', 'prompt must be a string or an array of token ids', { param: 'prompt' }), '5f0c')}
\`\`\`

\`code\` is stable; \`message\` is for people and may change. What a worker answers to decode, and what the gateway answers to a
path that is passed through, is relayed as it is and is not listed here.
`;

/** `docs/errors.md`, from the table of codes. */
export function errors() {
  const rows = Object.entries(ERROR_CODES)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([name, facts]) => [code(name), statusOf(facts), code(typeOf(name)), facts.meaning]);
  const text = [GENERATED, '# Errors', INTRODUCTION, table(['`code`', 'Status', '`type`', 'Meaning'], rows)].join(
    '\n\n',
  );
  return [{ path: 'docs/errors.md', text }];
}

function statusOf({ status, or }) {
  return or === undefined ? `${status}` : `${status}, or ${or}`;
}

function typeOf(name) {
  return JSON.parse(errorBody(new BadRequestError(name, ''), '')).error.type;
}
