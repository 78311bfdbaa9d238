import { describe, expect, it } from '@jest/globals';
import { traceContext } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${SPAN}-01`;

const from = (traceparent: readonly string[], tracestate: readonly string[] = [], baggage: readonly string[] = []) =>
  traceContext({ traceparent, tracestate, baggage });

describe('traceContext', () => {
  it.each([
    ['sampled', PARENT],
    ['not sampled', `00-${TRACE}-${SPAN}-00`],
    ['with flags of a later version', `00-${TRACE}-${SPAN}-ff`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`],
    ['of a later version with more fields', `01-${TRACE}-${SPAN}-01-what-comes-then`],
  ])('carries a parent %s as it is', (_, traceparent) => {
    expect(from([traceparent])).toEqual({ traceparent });
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper-case digits', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['digits that are none', `00-${TRACE.slice(1)}g-${SPAN}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a short span id', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['long flags', `00-${TRACE}-${SPAN}-011`],
    ['more fields than version 00 has', `${PARENT}-more`],
    ['a dash at the end of version 00', `${PARENT}-`],
    ['white space', `${PARENT} `],
    ['two in one line', `${PARENT},${PARENT}`],
  ])('starts no trace from %s, and its state goes with it', (_, traceparent) => {
    expect(from(traceparent === undefined ? [] : [traceparent], ['a=1'])).toEqual({});
  });

  it('starts no trace from two lines, were they equal', () => {
    expect(from([PARENT, PARENT], ['a=1'])).toEqual({});
  });

  it('joins the lines of a state in their order', () => {
    expect(from([PARENT], ['a=1', 'b=2,c=3'])).toEqual({ traceparent: PARENT, tracestate: 'a=1,b=2,c=3' });
  });

  it('sends no empty state or baggage', () => {
    expect(from([PARENT], [''], [''])).toEqual({ traceparent: PARENT });
  });

  it('carries baggage whether there is a parent or not', () => {
    expect(from([PARENT], [], ['k=v', 'l=w'])).toEqual({ traceparent: PARENT, baggage: 'k=v,l=w' });
    expect(from([], [], ['k=v'])).toEqual({ baggage: 'k=v' });
  });

  it('carries 8192 bytes of baggage and not one more', () => {
    expect(from([], [], ['b'.repeat(8192)])).toEqual({ baggage: 'b'.repeat(8192) });
    expect(from([], [], ['b'.repeat(8193)])).toEqual({});
  });
});
