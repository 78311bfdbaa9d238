import { describe, expect, it } from '@jest/globals';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { ATTRIBUTES, CONVENTIONAL } from './attributes.ts';

/** The constant that OpenTelemetry publishes for each name that is its own. */
const PUBLISHED = {
  method: 'ATTR_HTTP_REQUEST_METHOD',
  route: 'ATTR_HTTP_ROUTE',
  status: 'ATTR_HTTP_RESPONSE_STATUS_CODE',
  resend: 'ATTR_HTTP_REQUEST_RESEND_COUNT',
  path: 'ATTR_URL_PATH',
  serverAddress: 'ATTR_SERVER_ADDRESS',
  serverPort: 'ATTR_SERVER_PORT',
  errorType: 'ATTR_ERROR_TYPE',
  requestModel: 'ATTR_GEN_AI_REQUEST_MODEL',
  requestStream: 'ATTR_GEN_AI_REQUEST_STREAM',
  inputTokens: 'ATTR_GEN_AI_USAGE_INPUT_TOKENS',
  outputTokens: 'ATTR_GEN_AI_USAGE_OUTPUT_TOKENS',
  finishReasons: 'ATTR_GEN_AI_RESPONSE_FINISH_REASONS',
  firstChunk: 'ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK',
} as const satisfies Record<(typeof CONVENTIONAL)[number], keyof typeof conventions>;

describe('ATTRIBUTES', () => {
  it.each(Object.entries(PUBLISHED))('%s is what %s publishes', (name, constant) => {
    expect(Reflect.get(ATTRIBUTES, name)).toBe(Reflect.get(conventions, constant));
  });

  it('lists every name that a convention owns', () => {
    const published: ReadonlySet<unknown> = new Set(Object.values(conventions));
    const owned = Object.entries(ATTRIBUTES).filter(([, name]) => published.has(name));
    expect(owned.map(([key]) => key)).toEqual([...CONVENTIONAL]);
  });

  it('has every other name under llm_d.coordinator, as telemetry.md and coordinator.md F.2 write it', () => {
    const own = Object.values(ATTRIBUTES).filter((name) => name.startsWith('llm_d.coordinator.'));
    expect(own).toHaveLength(Object.keys(ATTRIBUTES).length - CONVENTIONAL.length);
    expect(own).toEqual(
      expect.arrayContaining([
        'llm_d.coordinator.phase',
        'llm_d.coordinator.encode.index',
        'llm_d.coordinator.encode.width',
        'llm_d.coordinator.outcome',
        'llm_d.coordinator.pipeline.step_count',
        'llm_d.coordinator.pipeline.execution_path',
      ]),
    );
  });

  it('has no name twice', () => {
    const names = Object.values(ATTRIBUTES);
    expect(new Set(names).size).toBe(names.length);
  });
});
