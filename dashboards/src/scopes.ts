import type { Component } from './component.ts';
import { Queries } from './queries.ts';
import type { Matcher } from './selector.ts';

/** Where the panels of a component's dashboards are read. */
export interface PanelScopes {
  /** What the dashboard's variables choose, metrics by model narrowed to the chosen ones. */
  readonly chosen: Queries;
  /** For panels that relate metrics which have a model to metrics which have none: all models. */
  readonly allModels: Queries;
  /** For panels by process. */
  readonly byInstance: Queries;
}

const MODEL = { matches: '$model_name' } as const;

/** @param instances what panels by process are narrowed to beside */
export function panelScopes(component: Component, instances: Readonly<Record<string, Matcher>> = {}): PanelScopes {
  const scope = { window: '$__rate_interval', matchers: chosenTarget(component), keep: [] };
  const matchers = { ...scope.matchers, model_name: MODEL, gen_ai_request_model: MODEL };
  return {
    chosen: new Queries({ ...scope, matchers }),
    allModels: new Queries(scope),
    byInstance: new Queries({
      ...scope,
      matchers: { ...scope.matchers, ...instances },
      keep: ['instance', 'worker'],
    }),
  };
}

/** The processes of a component that its dashboards' variables choose. */
export function chosenTarget({ job }: Component): Readonly<Record<'namespace' | 'job', Matcher>> {
  return { namespace: { matches: '$namespace' }, job: { matches: `$${job}` } };
}

/** For rules: each deployment by itself. */
export const byJob = new Queries({ window: '5m', matchers: {}, keep: ['namespace', 'job'] });
