import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { percentiles } from './curves.ts';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';
import { byInstance, chosen } from './picker.component.ts';

const FLAG = 'No data: `--enable-grpc-stream-metrics` is off.';

/** What goes on between the proxy and the picker: a stream of messages for each request. Pickers measure it where they are told to. */
export const PICKER_STREAMS: Row = {
  title: 'Streams of the proxy',
  panels: [
    trend(
      {
        title: 'Streams in flight',
        description: `Open ext_proc streams of each picker, one a request from its headers to the end of its answer. All on one picker: the proxy keeps one connection and does not share it out. ${FLAG}`,
        unit: 'short',
      },
      [{ expr: byInstance.level(PICKER_METRICS.streamsInFlight), legend: '{{instance}}' }],
    ),
    stack(
      {
        title: 'Streams by code',
        description: `Streams that ended, a second, by gRPC status. \`Canceled\`: clients left. Anything else than \`OK\` and that: the log has why. ${FLAG}`,
        unit: 'cps',
      },
      [{ expr: chosen.rate(PICKER_METRICS.streams, { by: ['code'] }), legend: '{{code}}' }],
    ),
    latency(
      {
        title: 'Stream duration',
        description: `How long a stream was open. It is as long as its request: a shorter one was refused or broke off. ${FLAG}`,
      },
      percentiles(chosen, PICKER_METRICS.streamDuration),
    ),
  ],
};
