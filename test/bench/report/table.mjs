import { aligned, duration, milliseconds, percent, ratio, significant } from './figures.mjs';
import { judgements } from './judgements.mjs';
import { noiseOf } from './noise.mjs';

/** The results as text, for a terminal. */
export function terminalReport(results) {
  const { machine, settings, version } = results;
  const head = `${version} on ${machine.processor}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}, Node ${machine.node}
${machine.pinned}; ${settings.rounds} rounds of ${settings.seconds} s, medians, lowest and highest in brackets`;
  return [
    head,
    comparisonTable(results.comparisons, 'CPU against the floor'),
    comparisonTable(results.telemetry, 'CPU of telemetry'),
    memoryTable(results.memory),
    workersLine(results.workers),
    soakLine(results.soak),
    judgementTable(judgements(results)),
    notes(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function comparisonTable(comparisons, title) {
  if (comparisons.length === 0) return '';
  const head = [
    'workload',
    'program',
    'CPU',
    'a',
    'ratio',
    'target',
    'first ms p50',
    'p99',
    'whole ms p50',
    'p99',
    'loop max ms',
    'core',
    'drivers',
    'reads',
  ];
  const rows = comparisons.flatMap(({ name, unit, programs }) =>
    programs.map((program, index) => [
      index === 0 ? name : '',
      program.name,
      duration(program.cpu.median),
      unit,
      ratio(program.ratio),
      program.target === undefined ? '' : `${program.target} ${program.verdict}`,
      milliseconds(program.first.p50),
      milliseconds(program.first.p99),
      milliseconds(program.whole.p50),
      milliseconds(program.whole.p99),
      milliseconds(program.loop?.max.median),
      percent(program.share.program),
      percent(program.share.drivers),
      significant(program.readsPerUnit),
    ]),
  );
  return `${title}\n${aligned([head, ...rows], 2)}`;
}

function memoryTable(memory) {
  if (memory.length === 0) return '';
  const head = ['memory', 'program', 'value', 'unit', 'target', 'detail'];
  const rows = memory.flatMap(({ name, unit, programs }) =>
    programs.map((program, index) => [
      index === 0 ? name : '',
      program.name,
      significant(program.value),
      unit,
      program.target === undefined ? '' : `${program.target} ${program.verdict}`,
      program.detail,
    ]),
  );
  return aligned([head, ...rows], 6);
}

function workersLine(workers) {
  if (workers === undefined) return '';
  const { measured, byCpu, balance, isEnough } = workers;
  const doubt = isEnough ? '' : '; too few cores for two processes and what drives them, so the second figure counts';
  return `two processes: ${measured.toFixed(2)} times the requests of one, ${byCpu.toFixed(2)} by CPU and balance (${balance.toFixed(2)})${doubt}`;
}

function soakLine(soak) {
  if (soak === undefined) return '';
  const { minutes, requests, second, last, verdict } = soak;
  const figures =
    second === undefined ? '' : `, ${second.toFixed(0)} MiB in the second minute, ${last.toFixed(0)} MiB in the last`;
  return `soak: ${minutes} minutes, ${requests.toLocaleString('en')} requests${figures}: ${verdict}`;
}

function judgementTable(list) {
  if (list.length === 0) return '';
  return aligned(
    [
      ['what', 'target', 'found', 'verdict'],
      ...list.map(({ what, target, found, verdict }) => [what, target, found, verdict]),
    ],
    4,
  );
}

function notes(results) {
  const { self, notes: all } = noiseOf(results);
  const noise =
    self === undefined
      ? []
      : [`the floor against itself, round to round: ${self.low.toFixed(2)} to ${self.high.toFixed(2)}`];
  return [...noise, ...all].map((line) => `note: ${line}`).join('\n');
}
