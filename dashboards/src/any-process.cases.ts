import type { MetricSpec } from '#telemetry/catalogue';
import type { ProcessAlert } from './any-process.alerts.ts';
import type { Component } from './component.ts';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import { seriesOf, steady } from './situation.ts';
import type { Series, Situation, Target } from './situation.ts';

const MEBIBYTE = 1_048_576;
const HOUR = 60;

/** The situations of the alerts that every component has. @param build labels that the component's presence has */
export function processCases(
  { alerts, noun, presence }: Component,
  target: Target,
  build: Readonly<Record<string, string>>,
): Readonly<Record<ProcessAlert, readonly Situation[]>> {
  const series = seriesOf(target);
  const there = (values: string): Series => series(presence, build, values);
  return {
    eventLoopLag: [
      {
        alert: `${alerts}EventLoopLag`,
        when: 'timers run a quarter of a second late',
        series: [there(steady(1, 30)), series(PROCESS.lagP99, {}, steady(0.25, 30))],
        at: 30,
        fires: { notBefore: 9, labels: { ...target }, value: '250ms' },
      },
      {
        alert: `${alerts}EventLoopLag`,
        when: `another service is late, and the ${noun} was for a moment`,
        series: [
          there(steady(1, 30)),
          series(PROCESS.lagP99, {}, `${steady(0.01, 20)} 0.5 0.5 ${steady(0.01, 20)}`),
          elsewhere(PROCESS.lagP99, steady(3, 30)),
        ],
        at: 23,
      },
    ],
    memoryGrowth: memoryCases(`${alerts}MemoryGrowth`, target, there(steady(1, 12 * HOUR))),
    metricsAbsent: [
      {
        alert: `${alerts}MetricsAbsent`,
        when: 'there are metrics of others only',
        series: [elsewhere(PROCESS.lagP99, steady(0, 30))],
        at: 15,
        fires: { notBefore: 8, labels: {} },
      },
      {
        alert: `${alerts}MetricsAbsent`,
        when: 'one process is scraped',
        series: [there(steady(1, 30))],
        at: 15,
      },
    ],
    targetDown: [
      {
        alert: `${alerts}TargetDown`,
        when: 'a process that was scraped does not answer',
        series: [there('1x10 _x30'), series(SCRAPE.up, {}, '1x10 0x30')],
        at: 20,
        fires: { notBefore: 14, labels: { ...target } },
      },
      {
        alert: `${alerts}TargetDown`,
        when: 'another service does not answer',
        series: [there(steady(1, 30)), series(SCRAPE.up, {}, steady(1, 30)), elsewhere(SCRAPE.up, steady(0, 30))],
        at: 20,
      },
    ],
  };
}

function memoryCases(alert: Situation['alert'], target: Target, there: Series): readonly Situation[] {
  const series = seriesOf(target);
  return [
    {
      alert,
      when: 'memory rises from 400 MiB to 1 GiB and stays there',
      series: [there, series(PROCESS.residentMemory, {}, risingMemory(400, 1024))],
      at: 11 * HOUR,
      fires: { notBefore: 9 * HOUR, labels: { ...target }, value: '1Gi' },
    },
    {
      alert,
      when: 'memory doubles, and is small, or is that of another service',
      series: [
        there,
        series(PROCESS.residentMemory, {}, risingMemory(150, 300)),
        elsewhere(PROCESS.residentMemory, risingMemory(400, 1024)),
      ],
      at: 11 * HOUR,
    },
    {
      alert,
      when: 'memory peaks again and again, and always falls back',
      series: [
        there,
        series(
          PROCESS.residentMemory,
          {},
          `${steady(600 * MEBIBYTE, 7 * HOUR)} ${Array(150)
            .fill(`${2000 * MEBIBYTE} ${600 * MEBIBYTE}`)
            .join(' ')}`,
        ),
      ],
      at: 11 * HOUR,
    },
  ];
}

/** A series that another kind of process has too. */
function elsewhere(metric: MetricSpec & { readonly labels: readonly [] }, values: string): Series {
  return seriesOf({ job: 'other', instance: 'z:9090' })(metric, {}, values);
}

/** Mebibytes that stay, and then rise to another value within an hour. */
function risingMemory(from: number, to: number): string {
  const step = ((to - from) * MEBIBYTE) / HOUR;
  return `${steady(from * MEBIBYTE, 7 * HOUR)} ${from * MEBIBYTE}+${step}x${HOUR} ${steady(to * MEBIBYTE, 4 * HOUR)}`;
}
