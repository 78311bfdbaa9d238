import { describe, expect, it } from '@jest/globals';
import { REQUEST_FORMATS, formatOfPath, pathOf, targetFormat } from './request-format.ts';
import type { RequestFormat } from './request-format.ts';

const PATHS: [format: RequestFormat, path: string][] = [
  ['chat', '/v1/chat/completions'],
  ['completions', '/v1/completions'],
  ['responses', '/v1/responses'],
  ['generate', '/inference/v1/generate'],
];

describe('request formats', () => {
  it.each(PATHS)('%s stands at %s', (format, path) => {
    expect(pathOf(format)).toBe(path);
    expect(formatOfPath(path)).toBe(format);
  });

  it('are these four', () => {
    expect([...REQUEST_FORMATS].sort()).toEqual(PATHS.map(([format]) => format).sort());
  });

  it.each([
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/V1/chat/completions',
    '/v1/chat/completions?x=1',
    '/v1/chat/completions/render',
    '/v1/responses/resp_1',
    '/v1/models',
    '/generate',
    '/',
    '',
  ])('%j is driven by no pipeline', (path) => {
    expect(formatOfPath(path)).toBeUndefined();
  });
});

describe('targetFormat', () => {
  it.each([
    { client: 'chat', openai: true, target: 'chat' },
    { client: 'chat', openai: false, target: 'generate' },
    { client: 'completions', openai: true, target: 'completions' },
    { client: 'completions', openai: false, target: 'completions' },
    { client: 'responses', openai: true, target: 'responses' },
    { client: 'responses', openai: false, target: 'generate' },
    { client: 'generate', openai: true, target: 'generate' },
    { client: 'generate', openai: false, target: 'generate' },
  ] as const)('$client goes out as $target with use_openai_format: $openai', ({ client, openai, target }) => {
    expect(targetFormat(client, openai)).toBe(target);
  });
});
