import { describe, expect, it } from '@jest/globals';
import { HEADER, HOP_BY_HOP, connectionNames, isInternalAnswerHeader, isRoutingHeader } from './headers.ts';

describe('header names', () => {
  it('are written in lower case, as they are compared', () => {
    const names = [...Object.values(HEADER), ...HOP_BY_HOP];
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it.each([
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ])('%s is for one hop', (name) => {
    expect(HOP_BY_HOP.has(name)).toBe(true);
  });
});

describe('isRoutingHeader', () => {
  it.each([
    'epp-profile',
    'x-llm-d-epp-profile',
    'x-llm-d-pin-host-port',
    'x-prefiller-host-port',
    'x-encoder-hosts-ports',
    'x-kv-cache-source-host-port',
    'x-data-parallel-host-port',
    'x-gateway-destination-endpoint',
    'x-gateway-destination-endpoint-served',
  ])('tells %s, which would choose a pod', (name) => {
    expect(isRoutingHeader(name)).toBe(true);
  });

  it.each(['authorization', 'cookie', 'x-llm-d-disagg-revision', 'x-gateway', 'x-custom'])('lets %s go', (name) => {
    expect(isRoutingHeader(name)).toBe(false);
  });
});

describe('isInternalAnswerHeader', () => {
  it.each([
    'x-gateway-destination-endpoint',
    'x-gateway-destination-endpoint-served',
    'x-prefiller-host-port',
    'x-encoder-hosts-ports',
    'x-llm-d-reserved-host-port',
    'x-peer-topology',
  ])('keeps %s from the client', (name) => {
    expect(isInternalAnswerHeader(name)).toBe(true);
  });

  it.each(['server', 'retry-after', 'x-request-id', 'x-llm-d-request-dropped-reason'])('lets %s pass', (name) => {
    expect(isInternalAnswerHeader(name)).toBe(false);
  });
});

describe('connectionNames', () => {
  it.each([
    [undefined, []],
    ['close', ['close']],
    ['keep-alive, X-Foo', ['keep-alive', 'x-foo']],
    [' X-A ,x-b,,X-A', ['x-a', 'x-b', '']],
  ])('%j names %j', (value, names) => {
    expect([...connectionNames(value)]).toEqual(names);
  });
});
