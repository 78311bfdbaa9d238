import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '#config';
import { loadCoordinatorConfig } from './coordinator.config.ts';

const LAYERS = { env: {}, envPrefix: 'COORDINATOR' };

/** Sections as they stand in the file; what a case does not say is a configuration that starts. */
interface Sections {
  readonly top?: string;
  readonly server?: string;
  readonly gateway?: string;
  readonly pipeline?: string;
  readonly steps?: string;
}

function written({
  top = '',
  server = '{}',
  gateway = '{address: http://gateway}',
  pipeline = '',
  steps = '[{type: decode}]',
}: Sections): string {
  return `${top}\nserver: ${server}\ngateway: ${gateway}\npipeline: {steps: ${steps}${pipeline === '' ? '' : `, ${pipeline}`}}\n`;
}

function mediaStep(params: string): Sections {
  return { steps: `[{type: replace-media-urls, params: {${params}}}, {type: decode}]` };
}

function renderStep(params: string): Sections {
  return { steps: `[{type: render, params: {address: http://render, ${params}}}, {type: decode}]` };
}

/** What is refused (`coordinator.md` G.4 and C, `decisions.md` R8), and the words that lead to the place. */
const REFUSED: readonly (readonly [what: string, sections: Sections, ...words: string[]])[] = [
  ['a value of the wrong type', { server: '{metrics_port: many}' }, 'server.metrics_port', 'integer'],
  ['a number without a unit for a duration', { server: '{read_timeout: 30}' }, 'server.read_timeout', 'duration'],
  ['a text without a unit for a duration', renderStep('timeout: "30"'), 'steps[0].params.timeout', 'duration'],
  ['a log level that is not there', { top: 'log_level: 9' }, 'log_level', '1 to 5'],
  ['an unknown key, with the nearest one', { server: '{listen_adr: ":80"}' }, 'server.listen_adr', 'listen_addr'],
  [
    'an unknown parameter, with the nearest one',
    mediaStep('download_timout: 1s'),
    'params.download_timout',
    'download_timeout',
  ],
  [
    'tokens out without a render step',
    { pipeline: 'use_openai_format: false' },
    'pipeline.use_openai_format',
    'render',
  ],
  [
    'a step that sends tokens without a render step',
    { steps: '[{type: prefill, params: {use_openai_format: false}}, {type: decode}]' },
    'pipeline.steps[0].params.use_openai_format',
    'render',
  ],
  [
    'an unknown step type',
    { steps: '[{type: rendr}, {type: decode}]' },
    'pipeline.steps[0]',
    'unknown step type: rendr',
  ],
  ['no step', { steps: '[]' }, 'pipeline.steps', 'empty'],
  ['a last step that cannot answer', { steps: '[{type: prefill}]' }, 'pipeline.steps[0]', 'prefill cannot answer'],
  ['a module that is not there', { pipeline: 'modules: [./none.mjs]' }, 'pipeline.modules[0]', 'cannot be loaded'],
  [
    'an unknown KV connector',
    { pipeline: 'kv_connector: kv-nixel' },
    'pipeline.kv_connector',
    'unknown kv_connector: "kv-nixel"',
  ],
  [
    'an unknown EC connector',
    { pipeline: 'ec_connector: ec-nixel' },
    'pipeline.ec_connector',
    'unknown ec_connector: "ec-nixel"',
  ],
  [
    'an unknown connector of a step',
    { steps: '[{type: decode, params: {kv_connector: kv-nixel}}]' },
    'steps[0].params.kv_connector',
    'kv-nixel',
  ],
  [
    'async-broker at another place than the first',
    {
      steps:
        '[{type: render, params: {address: http://r}}, {type: async-broker, params: {redis_url: redis://r}}, {type: decode}]',
    },
    'pipeline.steps[1]',
    'the "async-broker" step must be the first pipeline step, found it at position 2',
  ],
  [
    'async-broker without redis_url',
    { steps: '[{type: async-broker}, {type: decode}]' },
    'pipeline.steps[0].params.redis_url',
    'redis://redis:6379',
  ],
  [
    'an unknown key of async-broker',
    { steps: '[{type: async-broker, params: {redis_url: redis://r, redis_uri: x}}, {type: decode}]' },
    'pipeline.steps[0].params.redis_uri',
    'did you mean redis_url?',
  ],
  [
    'async-broker as the last step',
    { steps: '[{type: async-broker, params: {redis_url: redis://r}}]' },
    'async-broker cannot answer the client',
  ],
  [
    'use_openai_format on decode',
    { steps: '[{type: decode, params: {use_openai_format: true}}]' },
    'params.use_openai_format',
  ],
  [
    'use_openai_format on conditional-decode',
    { steps: '[{type: conditional-decode, params: {use_openai_format: true}}, {type: decode}]' },
    'params.use_openai_format',
  ],
  [
    'no encode call in flight',
    { steps: '[{type: encode, params: {max_parallel: 0}}, {type: decode}]' },
    'params.max_parallel',
  ],
  [
    'a failed encode that goes on',
    { steps: '[{type: encode, params: {on_failure: decode}}, {type: decode}]' },
    'params.on_failure',
  ],
  ['render without an address', { steps: '[{type: render}, {type: decode}]' }, 'steps[0].params.address'],
  ['a negative token limit', renderStep('max_total_tokens: -1'), 'params.max_total_tokens'],
  ['half a token', renderStep('max_total_placeholder_tokens: 1.5'), 'params.max_total_placeholder_tokens'],
  ['a negative pool', renderStep('max_idle_conns_per_host: -1'), 'params.max_idle_conns_per_host'],
  ['no download at a time', mediaStep('max_concurrent_downloads: 0'), 'params.max_concurrent_downloads'],
  ['a negative number of media', mediaStep('max_multimodal_entries: -1'), 'params.max_multimodal_entries'],
  ['a download of no size', mediaStep('max_download_size: 0'), 'params.max_download_size'],
  ['a size beyond what bytes can count', mediaStep('max_video_download_size: 1e16'), 'params.max_video_download_size'],
  ['a domain that is no list', mediaStep('allowed_domains: example.com'), 'params.allowed_domains'],
  ['types that are no list', mediaStep('allowed_image_content_types: image/png'), 'params.allowed_image_content_types'],
  [
    'a type that says nothing',
    mediaStep('allowed_audio_content_types: [" ; "]'),
    'params.allowed_audio_content_types[0]',
  ],
  ['an empty header to relay', { pipeline: 'forward_response_headers: [""]' }, 'pipeline.forward_response_headers[0]'],
  [
    'a hop-by-hop header to relay',
    { pipeline: 'forward_response_headers: [x-a, connection]' },
    'forward_response_headers[1]',
    '"connection"',
  ],
  [
    'a header that frames',
    { pipeline: 'forward_response_headers: [Content-Length]' },
    'forward_response_headers[0]',
    'content-length',
  ],
  [
    'a header that routes',
    { pipeline: 'forward_response_headers: [EPP-Profile]' },
    'forward_response_headers[0]',
    'epp-profile',
  ],
  [
    'a header to relay twice',
    { pipeline: 'forward_response_headers: [x-a, X-A]' },
    'forward_response_headers[1]',
    'duplicate header "x-a"',
  ],
  ['a negative body size', { server: '{max_request_body_size: -1}' }, 'server.max_request_body_size'],
  [
    'a body size beyond what a buffer holds',
    { server: '{max_request_body_size: 4096}' },
    'server.max_request_body_size',
  ],
  ['a gateway without an address', { gateway: '{}' }, 'gateway.address'],
  ['an empty gateway address', { gateway: '{address: ""}' }, 'gateway.address', 'missing a host'],
  ['a gateway address without a host', { gateway: '{address: "http://"}' }, 'gateway.address', 'missing a host'],
  [
    'a TLS version that is not there',
    { server: '{tls_min_version: VersionTLS99}' },
    'server.tls_min_version',
    'VersionTLS13',
  ],
  [
    'a TLS version that is too old',
    { server: '{tls_min_version: VersionTLS11}' },
    'server.tls_min_version',
    'VersionTLS12',
  ],
];

describe('loadCoordinatorConfig', () => {
  let folder = '';
  let count = 0;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coordinator-config-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function refusalOf(text: string): Promise<string> {
    const file = join(folder, `${++count}.yaml`);
    writeFileSync(file, text);
    return messageOf(file);
  }

  async function messageOf(file: string): Promise<string> {
    const error: unknown = await loadCoordinatorConfig({ file, ...LAYERS }).then(
      () => 'it was taken',
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof ConfigError ? error.message : '';
  }

  it('takes what the refused configurations are variations of', async () => {
    const file = join(folder, 'base.yaml');
    writeFileSync(file, written({}));
    await expect(loadCoordinatorConfig({ file, ...LAYERS })).resolves.toMatchObject({ config: { log_level: 2 } });
  });

  it.each(REFUSED)('refuses %s, and says where', async (_what, sections, ...words) => {
    const message = await refusalOf(written(sections));
    for (const word of words) expect(message).toContain(word);
  });

  it('lists everything that is wrong at once', async () => {
    const message = await refusalOf(written({ top: 'log_level: 9', server: '{port: 1}', steps: '[{type: prefill}]' }));
    for (const place of ['log_level', 'server.port', 'pipeline.steps[0]']) expect(message).toContain(place);
  });

  it('refuses a file that is not there, naming it', async () => {
    const file = join(folder, 'none.yaml');
    expect(await messageOf(file)).toContain(`reading config: ${file}: no such file`);
  });

  it('refuses what is not YAML, with the line', async () => {
    expect(await refusalOf('server:\n  listen_addr: [\n')).toMatch(/reading config: .*\.yaml/);
  });
});
