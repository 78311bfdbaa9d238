import { SpanKind, trace } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import { aRequest } from '#testing';
import type { RequestScope, TraceContext } from '#protocol';
import { traceHeaders } from './request-trace.ts';
import { SpanRecorder } from './spans.fixture.ts';
import { Tracing, failSpan } from './tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

function scopeWith(context: TraceContext): RequestScope {
  return aRequest({ scope: { trace: context } }).scope;
}

describe('Tracing', () => {
  it('makes nothing when it is off', () => {
    const tracing = new Tracing(undefined);
    expect(tracing.begin(scopeWith({ traceparent: `00-${TRACE}-${PARENT}-01` }), 'GET', {})).toBeUndefined();
  });

  it.each([{ traceparent: `00-${TRACE}-${PARENT}-01` }, {}])(
    'makes nothing where the SDK makes no spans: %j',
    (context) => {
      const noop = trace.getTracer('nobody has registered a provider');
      expect(new Tracing(noop).begin(scopeWith(context), 'GET', {})).toBeUndefined();
    },
  );

  it.each([
    ['00', '01'],
    ['cc', '01'],
    ['00', 'ff'],
  ])('begins the server span under the span of the client: version %s, flags %s', (version, flags) => {
    const recorder = new SpanRecorder();
    const spans = new Tracing(recorder.tracer).begin(
      scopeWith({ traceparent: `${version}-${TRACE}-${PARENT}-${flags}` }),
      'POST /v1/x',
      { a: 1 },
    );
    expect(spans?.ids).toMatchObject({ traceId: TRACE, traceFlags: 1 });
    spans?.server?.end();
    expect(recorder.spans).toEqual([
      expect.objectContaining({
        name: 'POST /v1/x',
        kind: 'SERVER',
        traceId: TRACE,
        parentId: PARENT,
        attributes: { a: 1 },
      }),
    ]);
  });

  it('begins a trace without a client that has one', () => {
    const recorder = new SpanRecorder();
    const spans = new Tracing(recorder.tracer).begin(scopeWith({}), 'GET', {});
    spans?.server?.end();
    expect(recorder.spans[0]?.parentId).toBeUndefined();
    expect(spans?.ids.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has ids and no span in a trace that the client does not sample', () => {
    const recorder = new SpanRecorder();
    const spans = new Tracing(recorder.tracer).begin(scopeWith({ traceparent: `00-${TRACE}-${PARENT}-00` }), 'GET', {});
    expect([recorder.begun, spans?.server, spans?.ids.traceFlags, spans?.ids.traceId]).toEqual([
      0,
      undefined,
      0,
      TRACE,
    ]);
  });

  it('makes spans under the one that it is given', () => {
    const recorder = new SpanRecorder();
    const tracing = new Tracing(recorder.tracer);
    const spans = tracing.begin(scopeWith({}), 'GET', {});
    if (spans === undefined) throw new Error('tracing is on');
    const span = tracing.span('step', SpanKind.INTERNAL, spans.serverContext, { b: 2 });
    failSpan(span, 'upstream_5xx');
    span?.end();
    expect(recorder.spans).toEqual([
      expect.objectContaining({
        ...{ name: 'step', kind: 'INTERNAL', parentId: spans.ids.spanId, isError: true },
        attributes: { b: 2, 'error.type': 'upstream_5xx' },
      }),
    ]);
  });
});

describe('traceHeaders', () => {
  const ids = { traceId: TRACE, spanId: PARENT, traceFlags: 1 };

  it.each([
    [1, '01'],
    [0, '00'],
    [255, 'ff'],
  ])('writes the flags %i as %s', (traceFlags, written) => {
    expect(traceHeaders({ ...ids, traceFlags }, {})).toEqual({ traceparent: `00-${TRACE}-${PARENT}-${written}` });
  });

  it('carries the state of the trace and the baggage on', () => {
    const scope = scopeWith({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'a=1,b=2', baggage: 'c=3' });
    const spans = new Tracing(new SpanRecorder().tracer).begin(scope, 'GET', {});
    if (spans === undefined) throw new Error('tracing is on');
    expect(traceHeaders(spans.ids, scope.trace)).toMatchObject({ tracestate: 'a=1,b=2', baggage: 'c=3' });
  });
});
