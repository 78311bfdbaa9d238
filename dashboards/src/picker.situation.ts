import { seriesOf } from './situation.ts';
import type { Target } from './situation.ts';

export const PICKER_TARGET: Target = { job: 'epp', instance: 'p:9090' };

/** An endpoint picker's. */
export const pickerSeries = seriesOf(PICKER_TARGET);
