import { describe, expect, it } from '@jest/globals';
import { EndpointStore, StaticDiscovery } from '#scheduling';
import { chosenDiscovery, startDiscovery } from './discovery.choice.ts';
import { endpointList } from './endpoint-list.ts';
import type { KubernetesTarget } from '#scheduling';

const NOWHERE = { endpoints: undefined, kubernetes: undefined };
const POOL: KubernetesTarget = { kind: 'pool', name: 'p', namespace: 'n', group: 'g' };
const configured = new StaticDiscovery([]);

describe('chosenDiscovery', () => {
  it('takes the configuration’s plugin, whether or not a pool is named', () => {
    expect(chosenDiscovery({ ...NOWHERE, kubernetes: POOL }, configured, undefined)).toEqual({
      source: configured,
      listensFirst: false,
    });
  });

  it('takes the list of the command line', async () => {
    const chosen = chosenDiscovery({ ...NOWHERE, endpoints: endpointList(['a=h:80']) }, undefined, undefined);
    const store = new EndpointStore();
    await startDiscovery(chosen, store, () => undefined);
    expect(store.size).toBe(1);
  });

  it('asks Kubernetes, and listens meanwhile', () => {
    const asked: KubernetesTarget[] = [];
    const ask = (target: KubernetesTarget): StaticDiscovery => {
      asked.push(target);
      return configured;
    };
    expect(chosenDiscovery({ ...NOWHERE, kubernetes: POOL }, undefined, ask)).toEqual({
      source: configured,
      listensFirst: true,
    });
    expect(asked).toEqual([POOL]);
  });

  it.each([
    [NOWHERE, undefined, 'either pool-name or endpoint-selector must be set'],
    [{ ...NOWHERE, kubernetes: POOL }, undefined, '--pool-name  Kubernetes discovery is not available'],
    [{ ...NOWHERE, endpoints: [] }, configured, '--endpoints  cannot be used together with dataLayer.discovery'],
  ])('refuses %j', (options, plugin, message) => {
    expect(() => chosenDiscovery(options, plugin, undefined)).toThrow(message);
  });
});

describe('startDiscovery', () => {
  it('fails where the first load of a file does', async () => {
    const source = { start: () => Promise.reject(new Error('no such file')), close: () => undefined };
    const started = startDiscovery({ source, listensFirst: false }, new EndpointStore(), () => undefined);
    await expect(started).rejects.toThrow('no such file');
  });

  it('tells what Kubernetes fails with later', async () => {
    const source = { start: () => Promise.reject(new Error('no access')), close: () => undefined };
    const failure = new Promise((resolve) => {
      void startDiscovery({ source, listensFirst: true }, new EndpointStore(), resolve);
    });
    expect(await failure).toMatchObject({ message: 'no access' });
  });
});
