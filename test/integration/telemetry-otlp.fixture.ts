import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { FakeUpstream, json } from '#testing';

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  arrayValue: z.unknown().optional(),
});
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((list) => Object.fromEntries(list.map(({ key, value: of }) => [key, Object.values(of)[0]])));
const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT'] as const;

const span = z
  .object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    name: z.string(),
    kind: z.number(),
    startTimeUnixNano: z.string(),
    endTimeUnixNano: z.string(),
    attributes,
    status: z.object({ code: z.number() }),
  })
  .transform(({ kind, status, startTimeUnixNano: start, endTimeUnixNano: end, ...rest }) => ({
    ...rest,
    kind: KINDS[kind],
    isError: status.code === 2,
    durationMs: Number(BigInt(end) - BigInt(start)) / 1e6,
  }));

/** A span as it was exported. */
export type ExportedSpan = z.output<typeof span>;

const exported = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

/** Receives what an OTLP exporter sends as JSON. */
export class OtlpReceiver {
  readonly spans: ExportedSpan[] = [];
  /** Attributes of the service that sends. */
  resource: Readonly<Record<string, unknown>> = {};

  private constructor(private readonly upstream: FakeUpstream) {}

  static async start(): Promise<OtlpReceiver> {
    const upstream = await FakeUpstream.start(() => undefined);
    const receiver = new OtlpReceiver(upstream);
    upstream.handler = ({ body }, response) => {
      for (const { resource, scopeSpans } of exported.parse(JSON.parse(body.toString())).resourceSpans) {
        receiver.resource = resource.attributes;
        for (const { spans } of scopeSpans) receiver.spans.push(...spans);
      }
      json(response, {});
    };
    return receiver;
  }

  /** Variables that make an SDK send here, at once. */
  get environment(): Readonly<Record<string, string>> {
    return {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.upstream.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  /** The spans of a trace, once its server span is there and as many as expected. @throws Error when they do not come */
  async trace(traceId: string, count: number): Promise<ExportedSpan[]> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const found = this.spans.filter((one) => one.traceId === traceId);
      if (found.length >= count) return found;
      if (performance.now() > deadline)
        throw new Error(`${found.length} spans of ${traceId}: ${JSON.stringify(found)}`);
      await sleep(10);
    }
  }

  close(): Promise<void> {
    return this.upstream.close();
  }
}
