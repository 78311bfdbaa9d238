import { seriesOf } from './situation.ts';
import type { Target } from './situation.ts';

export const SIDECAR_TARGET: Target = { job: 'sidecar', instance: 'd:9090' };

/** A decode sidecar's. */
export const sidecarSeries = seriesOf(SIDECAR_TARGET);
