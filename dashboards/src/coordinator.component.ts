import { METRICS } from '#telemetry/catalogue';
import type { Component } from './component.ts';
import { panelScopes } from './scopes.ts';

export const COORDINATOR: Component = {
  noun: 'coordinator',
  alerts: 'Coordinator',
  slug: 'coordinator',
  job: 'job',
  presence: METRICS.buildInfo,
  requests: METRICS.requests,
  waits: 'Every stream',
};

export const { chosen, allModels, byInstance } = panelScopes(COORDINATOR, { instance: { matches: '$instance' } });
