import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, parseTree } from '#config';
import { pipelineConfig } from './pipeline.config.ts';
import type { PipelineConfig } from './pipeline.config.ts';

const STEPS = [
  { type: 'decode', schema: z.strictObject({}) },
  { type: 'limit', schema: z.strictObject({ max: z.int().default(3), of: z.enum(['a', 'b']).optional() }) },
  { type: 'render', schema: z.strictObject({ address: z.string() }) },
];

/** As the file's `pipeline` section is read. */
function parse(pipeline: object): PipelineConfig {
  const schema = z.strictObject({ pipeline: pipelineConfig(STEPS, { kv: z.enum(['', 'kv-a']), ec: z.string() }) });
  return parseTree({ name: 'a file', values: { pipeline } }, schema, { env: {}, envPrefix: 'T' }).config.pipeline;
}

function problems(pipeline: object): string[] {
  try {
    parse(pipeline);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  return [];
}

describe('pipelineConfig', () => {
  it('has a default for everything but the steps', () => {
    expect(parse({ steps: [] })).toEqual({
      kv_connector: '',
      ec_connector: '',
      use_openai_format: true,
      send_tokens_field: true,
      generate_transfer_params: 'extra_args',
      revision_id: false,
      forward_response_headers: ['x-llm-d-disagg-revision'],
      modules: [],
      steps: [],
    });
    expect(problems({})).toHaveLength(1);
  });

  it("fills a step's parameters in by its own schema", () => {
    const steps = [{ type: 'limit' }, { type: 'limit', params: { max: 5, of: 'a' } }, { type: 'decode', params: {} }];
    expect(parse({ steps }).steps).toEqual([
      { type: 'limit', params: { max: 3 } },
      { type: 'limit', params: { max: 5, of: 'a' } },
      { type: 'decode', params: {} },
    ]);
  });

  it.each([
    ['an unknown type', { type: 'dekode' }, 'pipeline.steps[0].type: unknown step type: dekode'],
    ['no type', {}, 'pipeline.steps[0].type: '],
    ['a type that is no text', { type: 5 }, 'pipeline.steps[0].type: '],
    [
      'an unknown parameter',
      { type: 'limit', params: { maxx: 1 } },
      'pipeline.steps[0].params.maxx: unknown key (did you mean max?)',
    ],
    ['a parameter of another kind', { type: 'limit', params: { max: '5' } }, 'pipeline.steps[0].params.max: '],
    ['a parameter missing', { type: 'render' }, 'pipeline.steps[0].params.address: '],
    [
      'an unknown key of the step',
      { type: 'decode', parms: {} },
      'pipeline.steps[0].parms: unknown key (did you mean params?)',
    ],
    ['parameters that are no object', { type: 'decode', params: [] }, 'pipeline.steps[0].params: '],
  ])('names a step with %s', (_, step, problem) => {
    const found = problems({ steps: [step] });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(problem);
  });

  it('names every problem of every step', () => {
    expect(problems({ steps: [{ type: 'x' }, { type: 'limit', params: { max: 0.5, of: 'c' } }] })).toHaveLength(3);
  });

  it.each([
    ['kv_connector', 'kv-b'],
    ['use_openai_format', 'yes'],
    ['send_tokens_field', 1],
    ['generate_transfer_params', 'nested'],
    ['modules', ['']],
    ['modules', './steps.mjs'],
    ['stepps', []],
  ])('refuses %s: %j', (key, value) => {
    expect(problems({ steps: [], [key]: value })).toHaveLength(1);
  });

  describe('forward_response_headers', () => {
    const headers = (...names: readonly unknown[]): string[] =>
      problems({ steps: [], forward_response_headers: names });

    it('are read trimmed and in lower case', () => {
      const parsed = parse({ steps: [], forward_response_headers: [' X-Peer-Topology ', 'x-other'] });
      expect(parsed.forward_response_headers).toEqual(['x-peer-topology', 'x-other']);
    });

    it('may be none', () => {
      expect(parse({ steps: [], forward_response_headers: [] }).forward_response_headers).toEqual([]);
    });

    it.each([
      'connection',
      'Transfer-Encoding',
      'te',
      'content-length',
      'content-type',
      'content-encoding',
      'host',
      'x-request-id',
      'x-llm-d-revision-decision-id',
      'epp-profile',
      'x-llm-d-epp-profile',
      'x-llm-d-pin-host-port',
      'x-prefiller-host-port',
      'x-gateway-destination-endpoint',
    ])('refuse %s, which belongs to one message', (name) => {
      expect(headers('x-ok', name)).toEqual([
        `pipeline.forward_response_headers[1]: contains non-forwardable header "${name.toLowerCase()}"`,
      ]);
    });

    it('refuse a name that is there twice, in any case', () => {
      expect(headers('x-a', 'x-b', 'X-A')).toEqual([
        'pipeline.forward_response_headers[2]: contains duplicate header "x-a"',
      ]);
    });

    it.each(['', ' ', 'x y', 'x:', 'é', 1, null])('refuse %j, which is no name', (name) => {
      expect(headers(name)).toHaveLength(1);
    });
  });

  it('can be made when two steps have one type, which the rules then name', () => {
    const [decode] = STEPS;
    if (decode === undefined) throw new Error('there are steps');
    const schema = pipelineConfig([decode, decode], { kv: z.string(), ec: z.string() });
    expect(schema.parse({ steps: [{ type: 'decode' }] }).steps).toEqual([{ type: 'decode', params: {} }]);
  });

  it('knows no step where there is none', () => {
    const schema = pipelineConfig([], { kv: z.string(), ec: z.string() });
    expect(schema.safeParse({ steps: [{ type: 'decode' }] }).success).toBe(false);
    expect(schema.safeParse({ steps: [] }).success).toBe(true);
  });
});
