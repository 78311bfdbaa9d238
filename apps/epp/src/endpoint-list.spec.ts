import { describe, expect, it } from '@jest/globals';
import { EndpointStore, StaticDiscovery } from '#scheduling';
import { endpointList } from './endpoint-list.ts';

describe('endpointList', () => {
  it.each([
    ['a=10.0.0.1:8000', '10.0.0.1', 8000, {}],
    ['a=10.0.0.1:8000;role=decode', '10.0.0.1', 8000, { 'llm-d.ai/role': 'decode' }],
    ['a=[::1]:80; zone=x ;tier=', '::1', 80, { zone: 'x', tier: '' }],
    ['a=worker.example:65535', 'worker.example', 65_535, {}],
  ])('reads %s', (item, address, port, labels) => {
    expect(endpointList([item])).toEqual([{ id: 'default/a', namespace: 'default', name: 'a', address, port, labels }]);
  });

  it.each(['10.0.0.1:8000', 'a=10.0.0.1', 'a=::1:80', 'a=h:0', 'a=h:65536', 'a=h:80;role', 'a=h:80;a=b=c', ''])(
    'refuses %j',
    (item) => {
      expect(() => endpointList([item])).toThrow('--endpoints  expected name=ip:port');
    },
  );

  it('refuses a name that is given twice, along with everything else that is wrong', () => {
    expect(() => endpointList(['a=h:80', 'a=h:81', 'wrong'])).toThrow(/got wrong\n.*a is given twice/);
  });
});

describe('StaticDiscovery', () => {
  it('are known as soon as they are started', async () => {
    const store = new EndpointStore();
    await new StaticDiscovery(endpointList(['a=h:80'])).start(store);
    expect(store.isSynced).toBe(true);
    expect(store.all().map(({ endpoint }) => endpoint.name)).toEqual(['a']);
  });
});
