import { describe, expect, it } from '@jest/globals';
import type { Endpoint } from './endpoint.ts';
import { NO_LOAD } from './endpoint.ts';
import { EndpointStore } from './endpoint.store.ts';
import { anEndpoint } from './scheduling.fixture.ts';

/** A store, and what a listener hears of it. */
function heard(): { store: EndpointStore; events: string[] } {
  const store = new EndpointStore();
  const events: string[] = [];
  const say = (what: string, { id, address, port }: Endpoint): void =>
    void events.push(`${what} ${id} ${address}:${port}`);
  store.listen({ added: (endpoint) => say('+', endpoint), removed: (endpoint) => say('-', endpoint) });
  return { store, events };
}

describe('EndpointStore', () => {
  it('is synced once endpoints were said, be it that there are none', () => {
    const store = new EndpointStore();
    expect(store.isSynced).toBe(false);
    store.replace([]);
    expect(store.isSynced).toBe(true);
    expect(store.size).toBe(0);
  });

  it('says what comes and what goes', () => {
    const { store, events } = heard();
    store.replace([anEndpoint({ name: 'a' }), anEndpoint({ name: 'b', address: '10.0.0.2' })]);
    store.replace([anEndpoint({ name: 'b', address: '10.0.0.2' })]);
    expect(events).toEqual(['+ default/a 10.0.0.1:8000', '+ default/b 10.0.0.2:8000', '- default/a 10.0.0.1:8000']);
  });

  it('says nothing of endpoints that stay', () => {
    const { store, events } = heard();
    store.replace([anEndpoint()]);
    store.replace([anEndpoint()]);
    expect(events).toHaveLength(1);
  });

  it('tells a late listener of what is there', () => {
    const store = new EndpointStore();
    store.replace([anEndpoint({ name: 'a' })]);
    const names: string[] = [];
    store.listen({ added: ({ name }) => void names.push(name) });
    expect(names).toEqual(['a']);
  });

  it.each([
    ['address', { address: '10.0.0.9' }],
    ['port', { port: 8001 }],
  ])('takes another %s for another endpoint, of which nothing is known', (_what, change) => {
    const { store, events } = heard();
    const before = anEndpoint();
    const after = anEndpoint(change);
    store.replace([before]);
    store.observe(before, { waiting: 3 });
    store.replace([after]);
    expect(store.get(after.id)).toEqual({ endpoint: after, load: NO_LOAD });
    expect(events.slice(1)).toEqual([
      '- default/pod-a 10.0.0.1:8000',
      `+ default/pod-a ${after.address}:${after.port}`,
    ]);
  });

  it('takes other labels over, and keeps what was seen', () => {
    const store = new EndpointStore();
    const relabelled = anEndpoint({ labels: { role: 'decode' } });
    store.replace([anEndpoint()]);
    store.observe(relabelled, { waiting: 3 });
    store.replace([relabelled]);
    expect(store.get(relabelled.id)).toEqual({ endpoint: relabelled, load: { ...NO_LOAD, waiting: 3 } });
  });

  it('keeps a figure that a later scrape does not give, and drops one that is said to be unknown', () => {
    const store = new EndpointStore();
    const endpoint = anEndpoint();
    store.replace([endpoint]);
    store.observe(endpoint, { waiting: 3, blockSize: 16 });
    store.observe(endpoint, { running: 2, blockSize: undefined });
    expect(store.get(endpoint.id)?.load).toEqual({ ...NO_LOAD, waiting: 3, running: 2 });
  });

  it('leaves what it has given out as it was', () => {
    const store = new EndpointStore();
    const endpoint = anEndpoint();
    store.replace([endpoint]);
    const [before] = store.all();
    store.observe(endpoint, { waiting: 3 });
    expect(before?.load.waiting).toBeUndefined();
  });

  it('keeps nothing of an endpoint that has gone', () => {
    const store = new EndpointStore();
    store.replace([anEndpoint()]);
    store.replace([]);
    store.observe(anEndpoint(), { waiting: 3 });
    expect(store.all()).toEqual([]);
  });

  it('keeps nothing that an endpoint says which has moved since', () => {
    const store = new EndpointStore();
    const moved = anEndpoint({ address: '10.0.0.9' });
    store.replace([moved]);
    store.observe(anEndpoint(), { waiting: 3 });
    expect(store.get(moved.id)?.load).toEqual(NO_LOAD);
  });

  it('has nothing left of 10,000 replacements but the last', () => {
    const { store, events } = heard();
    for (let round = 0; round < 10_000; round++) store.replace([anEndpoint({ name: `pod-${round}` })]);
    expect(store.all().map(({ endpoint }) => endpoint.name)).toEqual(['pod-9999']);
    expect(events.filter((event) => event.startsWith('-'))).toHaveLength(9_999);
  });
});
