import { afterEach, describe, expect, it } from '@jest/globals';
import { programEnvironment } from './program-environment.ts';

const SET = {
  COORDINATOR_LOG_LEVEL: '3',
  COORDINATOR_SERVER_LISTEN_ADDR: ':1',
  COORDINATOR_PIPELINE_STEPS: '[]',
  ASYNC_WORKER_LOG_LEVEL: '3',
  ASYNC_WORKER_SERVER_METRICS_PORT: '1',
  ASYNC_WORKER_COORDINATOR_ADDRESS: 'http://other',
  ASYNC_WORKER_REDIS_URL: 'redis://other',
  OTEL_SERVICE_NAME: 'other',
};

describe('programEnvironment', () => {
  afterEach(() => {
    for (const name of Object.keys(SET)) Reflect.deleteProperty(process.env, name);
  });

  it.each([
    { tracing: undefined, kept: ['COORDINATOR_LOG_LEVEL', 'ASYNC_WORKER_LOG_LEVEL', 'OTEL_SERVICE_NAME'] },
    { tracing: {}, kept: ['COORDINATOR_LOG_LEVEL', 'ASYNC_WORKER_LOG_LEVEL'] },
  ])('leaves out addresses and steps of another deployment, with tracing $tracing', ({ tracing, kept }) => {
    Object.assign(process.env, SET);
    const environment = programEnvironment(tracing);
    expect(Object.keys(SET).filter((name) => environment[name] !== undefined)).toEqual(kept);
  });
});
