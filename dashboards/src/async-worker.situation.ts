import { seriesOf } from './situation.ts';
import type { Target } from './situation.ts';

export const ASYNC_WORKER_TARGET: Target = { job: 'async-worker', instance: 'w:9090' };

/** An async worker's. */
export const asyncWorkerSeries = seriesOf(ASYNC_WORKER_TARGET);
