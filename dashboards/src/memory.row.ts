import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';
import { PROCESS } from './process-metrics.ts';
import { byInstance } from './coordinator.component.ts';

/** Where the memory is, and what collecting it costs. */
export const MEMORY: Row = {
  title: 'Memory',
  panels: [
    trend(
      {
        title: 'Resident memory',
        description:
          'Memory of the process. Rising for hours at the same traffic is a leak; compare "Heap" and "Outside of the heap" to see where.',
        unit: 'bytes',
      },
      [{ expr: byInstance.level(PROCESS.residentMemory), legend: '{{instance}}' }],
    ),
    trend(
      {
        title: 'Heap',
        description: 'JavaScript objects, in use and reserved. The floor of the saw-tooth is what counts.',
        unit: 'bytes',
      },
      [
        { expr: byInstance.level(PROCESS.heapUsed), legend: '{{instance}} used' },
        { expr: byInstance.level(PROCESS.heapTotal), legend: '{{instance}} total' },
      ],
    ),
    trend(
      {
        title: 'Outside of the heap',
        description: 'Buffers: request bodies and answers under way. It follows the requests in flight and their size.',
        unit: 'bytes',
      },
      [{ expr: byInstance.level(PROCESS.externalMemory), legend: '{{instance}}' }],
    ),
    stack(
      {
        title: 'Heap by space',
        description: '`old` growing while `new` stays: objects survive that should not.',
        unit: 'bytes',
      },
      [{ expr: byInstance.level(PROCESS.heapSpaceUsed, { by: ['space'] }), legend: '{{instance}} {{space}}' }],
    ),
    trend(
      {
        title: 'Time in garbage collection',
        description:
          'Share of time by kind. `major` above a few percent: the heap is nearly full, or bodies are parsed that should be carried.',
        unit: 'percentunit',
      },
      [{ expr: byInstance.total(PROCESS.gcDuration, { by: ['kind'] }), legend: '{{instance}} {{kind}}' }],
    ),
    latency(
      {
        title: 'Garbage collection pauses, mean',
        description: 'Length of one collection by kind. It adds to event loop lag.',
      },
      [{ expr: byInstance.mean(PROCESS.gcDuration, { by: ['kind'] }), legend: '{{instance}} {{kind}}' }],
    ),
  ],
};
