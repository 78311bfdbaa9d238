import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import type { Component } from './component.ts';
import { panelScopes } from './scopes.ts';

export const ASYNC_WORKER: Component = {
  noun: 'async worker',
  alerts: 'AsyncWorker',
  slug: 'async-worker',
  job: 'async_worker_job',
  presence: ASYNC_WORKER_METRICS.buildInfo,
  requests: ASYNC_WORKER_METRICS.messages,
  waits: 'Every call and every lease',
};

export const { chosen, byInstance } = panelScopes(ASYNC_WORKER, { instance: { matches: '$instance' } });
