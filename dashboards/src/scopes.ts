import { Queries } from './queries.ts';

const TARGET = { namespace: { matches: '$namespace' }, job: { matches: '$job' } } as const;
const MODEL = { matches: '$model_name' } as const;

/** For panels: what the dashboard's variables choose, metrics by model narrowed to the chosen ones. */
export const chosen = new Queries({
  window: '$__rate_interval',
  matchers: { ...TARGET, model_name: MODEL, gen_ai_request_model: MODEL },
  keep: [],
});

/** For panels that relate metrics which have a model to metrics which have none: all models. */
export const allModels = new Queries({ window: '$__rate_interval', matchers: TARGET, keep: [] });

/** For panels by process. */
export const byInstance = new Queries({
  window: '$__rate_interval',
  matchers: { ...TARGET, instance: { matches: '$instance' } },
  keep: ['instance', 'worker'],
});

/** For rules: each deployment by itself. */
export const byJob = new Queries({ window: '5m', matchers: {}, keep: ['namespace', 'job'] });
