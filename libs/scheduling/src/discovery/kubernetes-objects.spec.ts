import { describe, expect, it } from '@jest/globals';
import { parseLabelSelector } from './label-selector-text.ts';
import { podEndpoints, podItself, readPod } from './pod-endpoints.ts';
import { poolKind } from './pool-target.ts';

describe('parseLabelSelector', () => {
  const labels = { app: 'vllm', 'llm-d.ai/role': 'decode', gen: '3', empty: '' };

  it.each([
    { selector: '', expected: true },
    { selector: 'app=vllm', expected: true },
    { selector: 'app==vllm', expected: true },
    { selector: ' app = vllm , gen = 3 ', expected: true },
    { selector: 'app=vllm,gen=4', expected: false },
    { selector: 'empty=', expected: true },
    { selector: 'missing=', expected: false },
    { selector: 'app!=vllm', expected: false },
    { selector: 'app!=other', expected: true },
    { selector: 'missing!=vllm', expected: true },
    { selector: 'llm-d.ai/role in (prefill, decode)', expected: true },
    { selector: 'llm-d.ai/role in (prefill),app', expected: false },
    { selector: 'llm-d.ai/role notin (prefill),app', expected: true },
    { selector: 'missing notin (a,b)', expected: true },
    { selector: 'missing in (a,b)', expected: false },
    { selector: 'app', expected: true },
    { selector: 'missing', expected: false },
    { selector: '!missing', expected: true },
    { selector: '!app', expected: false },
    { selector: 'constructor', expected: false },
    { selector: 'gen>2', expected: true },
    { selector: 'gen > 3', expected: false },
    { selector: 'gen<4', expected: true },
    { selector: 'app>2', expected: false },
    { selector: 'missing<2', expected: false },
  ])('$selector: $expected', ({ selector, expected }) => {
    expect(parseLabelSelector(selector)(labels)).toBe(expected);
  });

  it.each([
    ',',
    'a=b,',
    'a=b=c',
    'a in b',
    'a in (b',
    'a in ()(',
    'in (a)',
    '=b',
    'a~b',
    'a b',
    'a>x',
    '-a',
    'a in (b c)',
  ])('refuses %j', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow('not a label selector');
  });
});

describe('poolKind', () => {
  const { target: poolTarget } = poolKind('inference.networking.k8s.io');

  const pool = (spec: object, metadata: object = {}): object => ({ metadata: { name: 'pool', ...metadata }, spec });
  const selector = { matchLabels: { app: 'vllm' } };
  const targetPorts = [{ number: 8000 }, { number: 8001 }];

  it('says selector, ports and protocol', () => {
    const matchLabels = { app: 'vllm', 'llm-d.ai/role': 'decode' };
    expect(poolTarget(pool({ selector: { matchLabels }, targetPorts, appProtocol: 'http' }))).toEqual({
      selector: 'app=vllm,llm-d.ai/role=decode',
      ports: [8000, 8001],
      appProtocol: 'http',
    });
  });

  it('is nothing for a pool that is being deleted', () => {
    const object = pool({ selector, targetPorts }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(poolTarget(object)).toBeUndefined();
  });

  it.each([
    { what: 'no selector', spec: { targetPorts } },
    { what: 'an empty selector', spec: { selector: { matchLabels: {} }, targetPorts } },
    { what: 'no ports', spec: { selector, targetPorts: [] } },
    { what: 'nine ports', spec: { selector, targetPorts: Array.from({ length: 9 }, () => ({ number: 1 })) } },
    { what: 'a port that is none', spec: { selector, targetPorts: [{ number: 0 }] } },
  ])('refuses $what', ({ spec }) => {
    expect(() => poolTarget(pool(spec))).toThrow();
  });

  it('says of a flat selector in a v1 pool that matchLabels is missing', () => {
    expect(() => poolTarget(pool({ selector: { app: 'vllm' }, targetPorts }))).toThrow('matchLabels');
  });

  describe('of the old group', () => {
    const { version, target } = poolKind('inference.networking.x-k8s.io');

    it('has a flat selector and one port', () => {
      expect(version).toBe('v1alpha2');
      expect(target(pool({ selector: { app: 'vllm', tier: 'a' }, targetPortNumber: 8000 }))).toEqual({
        selector: 'app=vllm,tier=a',
        ports: [8000],
        appProtocol: undefined,
      });
    });

    it('is nothing for a pool that is being deleted', () => {
      const object = pool(
        { selector: { app: 'a' }, targetPortNumber: 1 },
        { deletionTimestamp: '2026-01-01T00:00:00Z' },
      );
      expect(target(object)).toBeUndefined();
    });

    it.each([
      { what: 'no selector', spec: { targetPortNumber: 8000 } },
      { what: 'an empty selector', spec: { selector: {}, targetPortNumber: 8000 } },
      { what: 'no port', spec: { selector: { app: 'a' } } },
      { what: 'a selector of the new group', spec: { selector, targetPortNumber: 8000 } },
    ])('refuses $what', ({ spec }) => {
      expect(() => target(pool(spec))).toThrow();
    });
  });
});

describe('readPod and podEndpoints', () => {
  const READY = [{ type: 'Ready', status: 'True' }];
  const endpointsOf = (metadata: object, status: object, ports: readonly number[]): string[] =>
    podEndpoints(readPod({ metadata: { name: 'pod', namespace: 'ns', ...metadata }, status }), ports).map(
      ({ id, address, port }) => `${id} ${address} ${port}`,
    );
  const active = (text: string, key = 'llm-d.ai/active-ports'): object => ({ annotations: { [key]: text } });

  it.each([
    { what: 'one port', metadata: {}, ports: [8000], expected: ['ns/pod 10.0.0.1 8000'] },
    {
      what: 'several ports',
      metadata: {},
      ports: [8000, 8001],
      expected: ['ns/pod-rank-0 10.0.0.1 8000', 'ns/pod-rank-1 10.0.0.1 8001'],
    },
    {
      what: 'some of several ports',
      metadata: active('8001, 9999'),
      ports: [8000, 8001],
      expected: ['ns/pod-rank-1 10.0.0.1 8001'],
    },
    {
      what: 'the old annotation',
      metadata: active('8000', 'inference.networking.k8s.io/active-ports'),
      ports: [8000, 8001],
      expected: ['ns/pod-rank-0 10.0.0.1 8000'],
    },
    { what: 'no active port', metadata: active(''), ports: [8000], expected: [] },
    { what: 'nonsense for ports', metadata: active('a,,80000'), ports: [8000], expected: [] },
    { what: 'no ports at all', metadata: {}, ports: [], expected: [] },
  ])('makes of a ready pod with $what $expected', ({ metadata, ports, expected }) => {
    expect(endpointsOf(metadata, { podIP: '10.0.0.1', conditions: READY }, ports)).toEqual(expected);
  });

  it.each([
    { what: 'has no status', metadata: {}, status: undefined },
    { what: 'has no address', metadata: {}, status: { conditions: READY } },
    { what: 'has an empty address', metadata: {}, status: { podIP: '', conditions: READY } },
    { what: 'does not say that it is ready', metadata: {}, status: { podIP: '10.0.0.1' } },
    {
      what: 'is not ready',
      metadata: {},
      status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'False' }] },
    },
    {
      what: 'has started only',
      metadata: {},
      status: { podIP: '10.0.0.1', conditions: [{ type: 'ContainersReady', status: 'True' }] },
    },
    {
      what: 'is about to go',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { podIP: '10.0.0.1', conditions: READY },
    },
  ])('makes nothing of a pod that $what', ({ metadata, status }) => {
    expect(endpointsOf(metadata, status ?? {}, [8000])).toEqual([]);
  });

  it('does not look at the phase', () => {
    expect(endpointsOf({}, { phase: 'Pending', podIP: 'fd00::1', conditions: READY }, [1])).toEqual([
      'ns/pod fd00::1 1',
    ]);
  });

  it('keeps the labels', () => {
    const pod = readPod({
      metadata: { name: 'a', labels: { x: 'y' } },
      status: { podIP: '10.0.0.1', conditions: READY },
    });
    expect(podEndpoints(pod, [1])[0]).toMatchObject({ id: 'default/a', labels: { x: 'y' } });
  });

  it.each([
    { what: 'ready', status: { podIP: '10.0.0.1', conditions: READY }, expected: ['ns/pod 10.0.0.1 8000'] },
    { what: 'not ready', status: { podIP: '10.0.0.1', phase: 'Pending' }, expected: ['ns/pod 10.0.0.1 8000'] },
    { what: 'without an address', status: { conditions: READY }, expected: [] },
  ])('make of a pod itself that is $what $expected, whatever its ports', ({ status, expected }) => {
    const pod = readPod({ metadata: { name: 'pod', namespace: 'ns', ...active('1') }, status });
    expect(podItself(pod, [8000, 8001]).map(({ id, address, port }) => `${id} ${address} ${port}`)).toEqual(expected);
  });

  it.each([undefined, {}, { metadata: {} }, { metadata: { name: 1 } }])('refuses %j', (object) => {
    expect(() => readPod(object)).toThrow();
  });
});
