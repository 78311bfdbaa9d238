import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OtlpReceiver } from './otlp-receiver.ts';
import type { ReceivedSpan } from './otlp-trace.schema.ts';

/** The example of opentelemetry-proto (examples/trace.json), shortened, with every kind of value. */
const EXPORT = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my.service' } }] },
      scopeSpans: [
        {
          scope: { name: 'my.library', version: '1.0.0' },
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              parentSpanId: 'eee19b7ec3c1b173',
              name: "I'm a server span",
              startTimeUnixNano: '1544712660000123456',
              endTimeUnixNano: '1544712661000000000',
              kind: 2,
              attributes: [
                { key: 'text', value: { stringValue: 'some value' } },
                { key: 'whole', value: { intValue: '12' } },
                { key: 'number', value: { intValue: 13 } },
                { key: 'half', value: { doubleValue: 0.5 } },
                { key: 'switch', value: { boolValue: false } },
                { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
              ],
              status: { code: 2, message: 'upstream_5xx' },
            },
          ],
        },
      ],
    },
  ],
};

describe('OtlpReceiver', () => {
  const received: ReceivedSpan[] = [];
  let receiver: OtlpReceiver;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start((spans) => received.push(...spans));
  });
  beforeEach(() => {
    received.length = 0;
  });
  afterAll(() => receiver.close());

  const post = async (body: string, path = '/v1/traces'): Promise<number> => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = receiver.variables;
    return (await fetch(`${endpoint}${path}`, { method: 'POST', body })).status;
  };

  it('takes spans from where its variables send them', async () => {
    expect(await post(JSON.stringify(EXPORT))).toBe(200);
    expect(received).toEqual([
      {
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
        parentSpanId: 'eee19b7ec3c1b173',
        name: "I'm a server span",
        isServer: true,
        startedAt: 1544712660000.123,
        endedAt: 1544712661000,
        attributes: { text: 'some value', whole: 12, number: 13, half: 0.5, switch: false, list: ['a', 'b'] },
        error: 'upstream_5xx',
      },
    ]);
  });

  it('takes a span with the least that one has: no parent, no attributes, no error', async () => {
    const least = {
      traceId: 'a',
      spanId: 'b',
      parentSpanId: '',
      name: 'n',
      startTimeUnixNano: '0',
      endTimeUnixNano: '0',
    };
    expect(await post(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [least] }] }] }))).toBe(200);
    expect(received).toMatchObject([{ parentSpanId: undefined, isServer: false, attributes: {}, error: undefined }]);
  });

  it.each([
    { body: '{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}', path: '/v1/traces', status: 400 },
    { body: 'protobuf', path: '/v1/traces', status: 400 },
    { body: '{}', path: '/v1/traces', status: 200 },
    { body: '{}', path: '/v1/metrics', status: 404 },
  ])('answers $body at $path with $status', async ({ body, path, status }) => {
    expect(await post(body, path)).toBe(status);
    expect(received).toEqual([]);
  });
});
