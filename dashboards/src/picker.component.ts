import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import type { Component } from './component.ts';
import { panelScopes } from './scopes.ts';

export const PICKER: Component = {
  noun: 'endpoint picker',
  alerts: 'Picker',
  slug: 'picker',
  job: 'picker_job',
  presence: PICKER_METRICS.info,
  requests: PICKER_METRICS.requests,
  waits: 'Every decision',
};

/** There are few pickers: panels by process show all of them. */
export const { chosen, byInstance } = panelScopes(PICKER);
