import { describe, expect, it } from '@jest/globals';
import { forwardedHeaders, valuesOf, withoutHeaders } from './forwarded-headers.ts';

const NONE: ReadonlySet<string> = new Set();
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The flat list as pairs. */
function pairs(headers: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2) found.push([headers[index] ?? '', headers[index + 1] ?? '']);
  return found;
}

function forwarded(raw: readonly string[], dropped = NONE, isPassthrough = false): [string, string][] {
  return pairs(forwardedHeaders(raw, dropped, isPassthrough).headers);
}

describe('forwardedHeaders', () => {
  it('sends what a client says on, in its order and with lower-case names', () => {
    const raw = ['Authorization', 'Bearer k', 'Cookie', 'a=1', 'X-Custom', '', 'User-Agent', 'sdk/1'];
    expect(forwarded(raw)).toEqual([
      ['authorization', 'Bearer k'],
      ['cookie', 'a=1'],
      ['x-custom', ''],
      ['user-agent', 'sdk/1'],
    ]);
  });

  it('sends the first value of a repeated name, whatever its case', () => {
    expect(forwarded(['X-A', '1', 'x-b', '2', 'x-a', '3', 'X-A', '4'])).toEqual([
      ['x-a', '1'],
      ['x-b', '2'],
    ]);
  });

  it.each([
    ['framing', ['content-length', 'transfer-encoding', 'expect', 'content-encoding', 'host', 'content-type']],
    [
      'one hop only',
      ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'],
    ],
    ['a coding the coordinator would have to undo', ['accept-encoding']],
    ['the conversation with the picker', ['prefer', 'epp-profile', 'x-llm-d-epp-profile', 'x-llm-d-pin-host-port']],
    ['a choice of pod', ['x-prefiller-host-port', 'x-encoder-hosts-ports', 'x-kv-cache-source-host-port']],
    ['a choice of rank or endpoint', ['x-data-parallel-host-port', 'x-gateway-destination-endpoint-subset']],
    [
      'what is stamped on every call',
      ['x-request-id', 'x-llm-d-revision-decision-id', 'traceparent', 'tracestate', 'baggage'],
    ],
  ])('keeps back: %s', (_, names) => {
    expect(forwarded(names.flatMap((name) => [name.toUpperCase(), 'v']))).toEqual([]);
  });

  it('keeps back what Connection nominates, in every line and case', () => {
    const raw = ['X-Foo', '1', 'Connection', 'keep-alive, x-foo', 'x-bar', '2', 'connection', ' X-BAR', 'x-baz', '3'];
    expect(forwarded(raw)).toEqual([['x-baz', '3']]);
  });

  it('keeps back the names that the deployment owns', () => {
    const dropped = new Set(['x-phase', 'x-llm-d-disagg-revision']);
    const raw = ['X-Phase', 'decode', 'X-LLM-D-Disagg-Revision', 'r1', 'x-kept', '1'];
    expect(forwarded(raw, dropped)).toEqual([['x-kept', '1']]);
  });

  it('takes nothing from a list that is empty', () => {
    expect(forwardedHeaders([], NONE)).toEqual({ headers: [], trace: {} });
  });

  it('carries the trace context beside the headers', () => {
    const raw = ['Traceparent', PARENT, 'tracestate', 'a=1', 'tracestate', 'b=2', 'baggage', 'k=v'];
    expect(forwardedHeaders(raw, NONE)).toEqual({
      headers: [],
      trace: { traceparent: PARENT, tracestate: 'a=1,b=2', baggage: 'k=v' },
    });
  });

  it('starts no trace from two parents', () => {
    expect(forwardedHeaders(['traceparent', PARENT, 'Traceparent', PARENT], NONE).trace).toEqual({});
  });

  describe('of a request that is passed through', () => {
    it('keeps every value of a name', () => {
      expect(forwarded(['X-A', '1', 'x-b', '2', 'x-a', '3'], NONE, true)).toEqual([
        ['x-a', '1'],
        ['x-b', '2'],
        ['x-a', '3'],
      ]);
    });

    it('keeps what describes the body, and nothing else that it keeps back otherwise', () => {
      const raw = ['Content-Type', 'image/png', 'Content-Encoding', 'gzip', 'Content-Length', '3', 'Host', 'h'];
      const internal = [
        'Accept-Encoding',
        'gzip',
        'Prefer',
        'x',
        'X-Request-Id',
        'r',
        'EPP-Profile',
        'encode',
        'TE',
        'gzip',
      ];
      expect(forwarded([...raw, ...internal], NONE, true)).toEqual([
        ['content-type', 'image/png'],
        ['content-encoding', 'gzip'],
      ]);
    });

    it('keeps back what Connection nominates, also what describes the body', () => {
      expect(forwarded(['Connection', 'content-encoding', 'Content-Encoding', 'x'], NONE, true)).toEqual([]);
    });
  });
});

describe('valuesOf', () => {
  it('finds every value of a name, in order and in any case', () => {
    expect(valuesOf(['X-A', '1', 'x-b', '2', 'x-a', '3'], 'x-a')).toEqual(['1', '3']);
  });

  it('finds none where there is none', () => {
    expect(valuesOf(['x-aa', '1'], 'x-a')).toEqual([]);
  });
});

describe('withoutHeaders', () => {
  it('keeps every other header in its order, as often as it comes', () => {
    const flat = ['x-a', '1', 'x-b', '2', 'x-a', '3', 'x-c', '4', 'x-b', '5'];
    expect(withoutHeaders(flat, new Set(['x-a', 'x-d']))).toEqual(['x-b', '2', 'x-c', '4', 'x-b', '5']);
  });

  it('takes names for names, not values', () => {
    expect(withoutHeaders(['x-a', 'x-b'], new Set(['x-b']))).toEqual(['x-a', 'x-b']);
  });
});
