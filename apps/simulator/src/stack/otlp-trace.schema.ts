import { z } from 'zod';

type Scalar = string | number | boolean;
/** A value of an attribute; the coordinator sets no other kinds. */
export type AttributeValue = Scalar | readonly Scalar[];

/** A span that has ended. Times are milliseconds since 1970. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly isServer: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** What went wrong, in a word; undefined when nothing did. */
  readonly error: string | undefined;
}

/** `SPAN_KIND_SERVER` and `STATUS_CODE_ERROR` of the protocol. */
const SERVER = 2;
const ERROR = 2;

const scalar = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  // 64 bits: a number, or the text of one
  intValue: z.coerce.number().optional(),
  doubleValue: z.number().optional(),
});

const anyValue = scalar
  .extend({ arrayValue: z.object({ values: z.array(scalar.transform(scalarOf)).default([]) }).optional() })
  .transform((value): AttributeValue => value.arrayValue?.values ?? scalarOf(value));

function scalarOf({ stringValue, boolValue, intValue, doubleValue }: z.output<typeof scalar>): Scalar {
  return stringValue ?? boolValue ?? intValue ?? doubleValue ?? '';
}

/** Nanoseconds since 1970 as text, to milliseconds with three decimals. */
const nanoseconds = z
  .union([z.string().regex(/^\d+$/), z.number().int().nonnegative()])
  .transform((value) => Number(BigInt(value) / 1000n) / 1000);

const span = z
  .object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().optional(),
    name: z.string(),
    kind: z.number().default(0),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: z.array(z.object({ key: z.string(), value: anyValue })).default([]),
    status: z.object({ code: z.number().optional(), message: z.string().optional() }).default({}),
  })
  .transform(({ traceId, spanId, parentSpanId, name, kind, attributes, status, ...times }): ReceivedSpan => ({
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    name,
    isServer: kind === SERVER,
    startedAt: times.startTimeUnixNano,
    endedAt: times.endTimeUnixNano,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value])),
    error: status.code === ERROR ? (status.message ?? '') : undefined,
  }));

const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);

/** The body of `POST /v1/traces` in the JSON of OTLP, to its spans. Whatever else it holds is left out. */
export const otlpTraces = z
  .object({ resourceSpans: list(z.object({ scopeSpans: list(z.object({ spans: list(span) })) })) })
  .transform(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
