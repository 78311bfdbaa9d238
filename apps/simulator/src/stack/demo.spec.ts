import { describe, expect, it } from '@jest/globals';
import { startSimulatedCluster } from '../cluster.ts';
import { runDemo } from './demo.ts';

describe('runDemo', () => {
  it('says which request failed, and how', async () => {
    const cluster = await startSimulatedCluster();
    try {
      const stack = { url: cluster.gateway.url, mediaUrl: cluster.media.url, requests: cluster.requests };
      await expect(runDemo(stack, 'm', () => undefined)).rejects.toThrow('demo-1 was answered 503');
    } finally {
      await cluster.close();
    }
  });
});
