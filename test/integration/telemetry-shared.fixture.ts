import { afterAll, beforeEach } from '@jest/globals';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';

/** A cluster for every test of the file, which is as new before each of them and closed behind the last. */
export async function sharedCluster(): Promise<ObservedCluster> {
  const cluster = await ObservedCluster.start();
  beforeEach(() => {
    cluster.reset();
  });
  afterAll(() => cluster.close());
  return cluster;
}
