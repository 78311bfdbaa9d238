import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { percentiles } from './curves.ts';
import { ratio } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { distribution, trend } from './panels.ts';
import { byInstance, chosen } from './picker.component.ts';

/** What the picker believes of the workers' caches. */
export const PICKER_PREFIX: Row = {
  title: 'Prefix cache',
  panels: [
    distribution(
      {
        title: 'Hit ratio',
        description:
          'Part of each prompt that its endpoint has cached, as the index has it. All at the bottom: prompts are new, or the index forgets them; see "Index size".',
        unit: 'percentunit',
      },
      chosen.buckets(PICKER_METRICS.prefixHitRatio),
    ),
    trend(
      {
        title: 'Believed and real hits',
        description:
          'Mean part of a prompt that the index has on its endpoint, and part of all prompt tokens that workers had cached by usage. Far apart: block sizes differ, or workers evict more than the index knows.',
        unit: 'percentunit',
      },
      [
        {
          expr: chosen.mean(PICKER_METRICS.prefixHitRatio, { by: ['plugin_name'] }),
          legend: 'believed, {{plugin_name}}',
        },
        {
          expr: ratio(chosen.total(PICKER_METRICS.cachedTokens), chosen.total(PICKER_METRICS.inputTokens)),
          legend: 'real',
        },
      ],
    ),
    trend(
      {
        title: 'Hit size',
        description: 'Matched bytes of a prompt on its endpoint. It follows the length of conversations.',
        unit: 'bytes',
      },
      percentiles(chosen, PICKER_METRICS.prefixHitBytes),
    ),
    trend(
      {
        title: 'Index size',
        description:
          'Blocks that the index holds. Flat at its limit: it forgets the oldest ones, so raise the capacity of the producer if memory allows.',
        unit: 'short',
      },
      [
        {
          expr: byInstance.level(PICKER_METRICS.prefixIndexSize, { by: ['plugin_name'] }),
          legend: '{{instance}} {{plugin_name}}',
        },
      ],
    ),
  ],
};
