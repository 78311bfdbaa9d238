import { verdict } from '../measure/statistics.mjs';
import { ratio, significant } from './figures.mjs';

/** Milliseconds that nothing may hold the event loop for. */
const LONGEST_BLOCK = 10;
/** Requests per core-second of the coordinator, as a part of the peer's. */
const AGAINST_PEER = { 'text-200': 0.7 };
const PEER_WORKLOADS = /^(text|image)-/;
/** Programs that are ours. */
const OWN = new Set(['coordinator', 'sidecar']);

/** The promises of the project, each with what the run says about it: `{ what, target, found, verdict }`. */
export function judgements(results) {
  return [
    ...results.comparisons.flatMap(costJudgements),
    ...growth(results.comparisons),
    ...results.telemetry.flatMap(costJudgements),
    ...results.comparisons.flatMap(peerJudgements),
    ...eventLoop(results.comparisons),
    ...results.memory.flatMap(memoryJudgements),
    ...soakJudgement(results.soak),
  ];
}

/** What `--quick` fails on: ratios whose whole spread is beyond a wide limit. */
export function clearlyOut({ comparisons }) {
  return comparisons.flatMap(({ name, limit, programs }) => {
    const own = programs.find((program) => OWN.has(program.name))?.ratio;
    return limit === undefined || own === undefined || own.low <= limit
      ? []
      : [`${name}: ${ratio(own)} times the floor, the limit is ${limit}`];
  });
}

function costJudgements({ name, base, unit, programs }) {
  return programs
    .filter(({ target }) => target !== undefined)
    .map((program) => ({
      what: `${name}: CPU ${unit === 'event' ? 'an event' : 'a request'}, ${program.name}`,
      target: `≤ ${program.target} × ${base}`,
      found: ratio(program.ratio),
      verdict: program.verdict,
    }));
}

function growth(comparisons) {
  const [small, large] = ['text-8k', 'text-128k'].map((wanted) =>
    comparisons.find(({ name }) => name === wanted)?.programs.find(({ name }) => name === 'coordinator'),
  );
  if (small === undefined || large === undefined) return [];
  const bytes = large.bytesPerRequest / small.bytesPerRequest;
  const cpu = {
    median: large.cpu.median / small.cpu.median,
    low: large.cpu.low / small.cpu.high,
    high: large.cpu.high / small.cpu.low,
  };
  const what = 'growth of CPU from 8k to 128k tokens';
  return [{ what, target: `≤ ${significant(bytes)}, as the bytes`, found: ratio(cpu), verdict: verdict(cpu, bytes) }];
}

function peerJudgements({ name, programs }) {
  const [own, peer] = ['coordinator', 'peer'].map((wanted) => programs.find((program) => program.name === wanted));
  if (peer === undefined || !PEER_WORKLOADS.test(name)) return [];
  const target = AGAINST_PEER[name] ?? 1;
  const found = {
    median: peer.cpu.median / own.cpu.median,
    low: peer.cpu.low / own.cpu.high,
    high: peer.cpu.high / own.cpu.low,
  };
  const opposite = (value) => 1 / value;
  const judged = verdict(
    { median: opposite(found.median), low: opposite(found.high), high: opposite(found.low) },
    opposite(target),
  );
  return [
    {
      what: `${name}: requests per core-second against the peer`,
      target: `≥ ${target}`,
      found: ratio(found),
      verdict: judged,
    },
  ];
}

function eventLoop(comparisons) {
  const blocks = comparisons.flatMap(({ name, programs }) =>
    programs.filter((program) => OWN.has(program.name)).map(({ loop }) => ({ name, ...loop.max })),
  );
  if (blocks.length === 0) return [];
  const worst = blocks.reduce((a, b) => (a.median > b.median ? a : b));
  const found = `${significant(worst.median)} ms (${significant(worst.low)}–${significant(worst.high)}), ${worst.name}`;
  return [
    {
      what: 'longest block of the event loop',
      target: `≤ ${LONGEST_BLOCK} ms`,
      found,
      verdict: verdict(worst, LONGEST_BLOCK),
    },
  ];
}

function memoryJudgements({ name, about, unit, programs }) {
  const own = programs.find((program) => program.name === 'coordinator');
  if (own?.target === undefined) return [];
  return [
    {
      what: `${name}: ${about}`,
      target: `≤ ${own.target} ${unit}`,
      found: `${significant(own.value)} ${unit}`,
      verdict: own.verdict,
    },
  ];
}

function soakJudgement(soak) {
  if (soak?.growth === undefined) return [];
  const found = `${soak.growth.toFixed(3)} × (${soak.second.toFixed(0)} to ${soak.last.toFixed(0)} MiB)`;
  return [
    {
      what: `soak of ${soak.minutes} minutes: resident memory, last minute`,
      target: '≤ 1.05 × the second',
      found,
      verdict: soak.verdict,
    },
  ];
}
