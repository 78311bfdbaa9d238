/** The APIs that are driven through the pipeline. The path alone decides which one a request is (`coordinator.md` A.5). */
export type RequestFormat = 'chat' | 'completions' | 'responses' | 'generate';

const PATHS = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  generate: '/inference/v1/generate',
} as const satisfies Record<RequestFormat, string>;

export const REQUEST_FORMATS: readonly RequestFormat[] = ['chat', 'completions', 'responses', 'generate'];

export function pathOf(format: RequestFormat): string {
  return PATHS[format];
}

/** The format that a path stands for, matched exactly; undefined for a path that is not driven through the pipeline. */
export function formatOfPath(path: string): RequestFormat | undefined {
  return REQUEST_FORMATS.find((format) => PATHS[format] === path);
}

/**
 * The format of the encode and prefill calls of a request. Completions stays what it is; chat and responses become generate
 * (tokens in) when the OpenAI format is off.
 * @see coordinator.md C, "Wire format of encode/prefill"
 */
export function targetFormat(client: RequestFormat, useOpenaiFormat: boolean): RequestFormat {
  if (client === 'completions' || client === 'generate') return client;
  return useOpenaiFormat ? client : 'generate';
}
