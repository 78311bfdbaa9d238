import { processAlerts } from './any-process.alerts.ts';
import { processCases } from './any-process.cases.ts';
import { ASYNC_WORKER_MESSAGES_GROUP } from './async-worker-messages.alerts.ts';
import { ASYNC_WORKER_MESSAGES_CASES } from './async-worker-messages.cases.ts';
import { ASYNC_WORKER_REDIS_GROUP } from './async-worker-redis.alerts.ts';
import { ASYNC_WORKER_REDIS_CASES } from './async-worker-redis.cases.ts';
import { ASYNC_WORKER } from './async-worker.component.ts';
import { ASYNC_WORKER_TARGET } from './async-worker.situation.ts';
import type { RuleSet } from './rule-set.ts';

const BUILD = { version: '1.0.0', commit: 'abc', node: 'v24' };

export const ASYNC_WORKER_RULES: RuleSet = {
  component: ASYNC_WORKER,
  groups: [
    ASYNC_WORKER_MESSAGES_GROUP,
    ASYNC_WORKER_REDIS_GROUP,
    { name: 'async-worker-processes', rules: Object.values(processAlerts(ASYNC_WORKER)) },
  ],
  situations: [
    ...ASYNC_WORKER_MESSAGES_CASES,
    ...ASYNC_WORKER_REDIS_CASES,
    ...Object.values(processCases(ASYNC_WORKER, ASYNC_WORKER_TARGET, BUILD)).flat(),
  ],
};
