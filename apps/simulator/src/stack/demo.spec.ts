import { describe, expect, it } from '@jest/globals';
import { startSimulatedCluster } from '../cluster.ts';
import { coordinatorRequests } from './demo-requests.ts';
import { runDemo } from './demo.ts';

describe('runDemo', () => {
  it('says which request failed, and how', async () => {
    const cluster = await startSimulatedCluster();
    try {
      const stack = { url: cluster.gateway.url, requests: cluster.requests };
      const plan = { model: 'm', requests: coordinatorRequests(cluster.media.url) };
      await expect(runDemo(stack, plan, () => undefined)).rejects.toThrow('demo-1 was answered 503');
    } finally {
      await cluster.close();
    }
  });
});
