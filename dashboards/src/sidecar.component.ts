import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import type { Component } from './component.ts';
import { panelScopes } from './scopes.ts';

export const SIDECAR: Component = {
  noun: 'decode sidecar',
  alerts: 'Sidecar',
  slug: 'sidecar',
  job: 'sidecar_job',
  presence: SIDECAR_METRICS.info,
  requests: SIDECAR_METRICS.requests,
  waits: 'Every stream',
};

/** There is one in each decode pod, so panels by process are narrowed to those that are chosen. */
export const { chosen, byInstance } = panelScopes(SIDECAR, { instance: { matches: '$instance' } });
