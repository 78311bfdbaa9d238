import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mixWords } from '../measure/soak.mjs';
import { catalogue } from '../measure/run.mjs';
import { ratioChart } from './chart.mjs';
import { duration, milliseconds, percent, ratio, significant } from './figures.mjs';
import { judgements } from './judgements.mjs';
import { apartText, withKept } from './kept-run.mjs';
import { noiseOf } from './noise.mjs';
import { pickerPart } from './picker.mjs';

const PAGE = 'docs/performance.md';
const RESULTS = 'docs/performance/results.json';
const CHART = 'docs/performance/ratios.svg';

/** Keeps a run in `docs/` and writes the page about it; one of some workloads adds to what is kept. @returns the files written */
export async function writePage(run, root, isWhole) {
  const results = isWhole ? run : withKept(run, join(root, RESULTS));
  const { format, resolveConfig } = await import('prettier');
  mkdirSync(join(root, 'docs/performance'), { recursive: true });
  const write = async (path, text) => {
    const file = join(root, path);
    writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
  };
  await write(RESULTS, JSON.stringify(results));
  await write(PAGE, pageOf(results, root));
  writeFileSync(join(root, CHART), ratioChart(results));
  return [PAGE, RESULTS, CHART];
}

/** The page as the kept run makes it, for whoever checks that it is up to date: `[{ path, text }]`, empty where no run was kept. */
export function performancePages(root) {
  const file = join(root, RESULTS);
  return existsSync(file) ? [{ path: PAGE, text: pageOf(JSON.parse(readFileSync(file, 'utf8')), root) }] : [];
}

function pageOf(results, root) {
  return [
    '# Performance',
    '<!-- Written by `npm run bench -- --write-docs` from performance/results.json. -->',
    intro(results),
    section(
      'Targets',
      table(
        ['', 'Target', 'Found', ''],
        judgements(results).map(({ what, target, found, verdict }) => [what, target, found, verdict]),
      ),
    ),
    section('CPU', `![CPU as a multiple of the floor](performance/ratios.svg)\n\n${costs(results.comparisons)}`),
    section('Time', times(results.comparisons)),
    section('Telemetry', telemetry(results.telemetry)),
    section('Event loop and garbage', loops(results.comparisons)),
    section('Memory', memory(results)),
    section('Two processes', workers(results.workers)),
    section('Endpoint picker', pickerPart(root, table)),
    section('Noise', noise(results)),
    method(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function intro({ version, machine, settings, started }) {
  const { processor, cores, memoryGib, system, node, pinned } = machine;
  return `What the coordinator and the decode sidecar cost, against what the platform must cost. Version ${version}, ${started.slice(0, 10)}, on ${processor} with ${cores} cores and ${memoryGib} GiB, ${system}, Node ${node}; ${pinned}. ${settings.rounds} rounds of ${settings.seconds} s. A figure is the median of the rounds, with the lowest and the highest in brackets. What a request takes on another machine is another figure; the ratios are what to look at.`;
}

function costs(comparisons) {
  const rows = comparisons.flatMap(({ name, about, unit, programs }) =>
    programs
      .filter(hasCost)
      .map((program, index) => [
        index === 0 ? `\`${name}\`` : '',
        index === 0 ? about : '',
        program.name,
        `${duration(program.cpu.median)} ${unit === 'event' ? 'an event' : 'a request'}`,
        ratio(program.ratio),
        program.target === undefined ? '' : String(program.target),
        significant(1e6 / program.cpu.median),
      ]),
  );
  return table(['Workload', '', 'Program', 'CPU', 'Ratio to the floor', 'Target', 'A core-second'], rows);
}

/** Going to the worker without a program in between costs time alone. */
function hasCost({ cpu }) {
  return cpu.median > 0;
}

function times(comparisons) {
  const rows = comparisons.flatMap(({ name, programs }) =>
    programs.map(({ name: program, first, whole }, index) => [
      index === 0 ? `\`${name}\`` : '',
      program,
      ...[first.p50, first.p99, whole.p50, whole.p99].map(milliseconds),
    ]),
  );
  if (rows.length === 0) return '';
  return `As the client sees it, in ms: to the first byte of the answer, and to its end. \`direct\` is the same request to the worker itself.\n\n${table(['Workload', 'Program', 'First, p50', 'p99', 'Whole, p50', 'p99'], rows)}`;
}

function telemetry(comparisons) {
  const rows = comparisons.flatMap(({ name, unit, programs }) =>
    programs.map((program, index) => [
      index === 0 ? `\`${name}\`` : '',
      program.name,
      `${duration(program.cpu.median)} a ${unit}`,
      ratio(program.ratio),
      program.target === undefined ? '' : String(program.target),
    ]),
  );
  return rows.length === 0 ? '' : table(['Workload', '', 'CPU', `Ratio to ${comparisons[0].base}`, 'Target'], rows);
}

function loops(comparisons) {
  const rows = comparisons.flatMap(({ name, programs }) =>
    programs
      .filter(({ loop }) => loop !== undefined)
      .map(({ name: program, loop, collections }, index) => [
        index === 0 ? `\`${name}\`` : '',
        program,
        `${significant(loop.max.median)} (${significant(loop.max.low)}–${significant(loop.max.high)})`,
        significant(loop.p99),
        significant(collections.per1000),
        significant(collections.longest),
      ]),
  );
  return rows.length === 0
    ? ''
    : table(
        ['Workload', 'Program', 'Longest block, ms', 'p99, ms', 'Collections in 1,000 requests', 'Longest, ms'],
        rows,
      );
}

function memory({ memory: measured, soak }) {
  const rows = measured.flatMap(({ name, about, unit, programs }) =>
    programs.map((program, index) => [
      index === 0 ? `\`${name}\`` : '',
      index === 0 ? about : '',
      program.name,
      `${significant(program.value)} ${unit}`,
      program.detail,
    ]),
  );
  const parts = [rows.length === 0 ? '' : table(['', '', 'Program', 'Found', ''], rows), soaked(soak)];
  return parts.filter((part) => part !== '').join('\n\n');
}

function soaked(soak) {
  if (soak?.second === undefined) return '';
  const { minutes, requests, second, last } = soak;
  return `A soak of ${minutes} minutes (${mixWords()}, and clients that leave), ${requests.toLocaleString('en')} requests: ${second.toFixed(0)} MiB resident in the second minute, ${last.toFixed(0)} MiB in the last.`;
}

function workers(found) {
  if (found === undefined) return '';
  const { measured, byCpu, balance, isEnough } = found;
  const doubt = isEnough
    ? ''
    : ' There were too few cores for two processes and what drives them: the drivers took from the second process what it would have used, and the second figure is the one to look at.';
  return `\`server.workers: 2\` served ${measured.toFixed(2)} times the requests of one process on \`text-8k\`. By the CPU of a request and the balance between the two (${balance.toFixed(2)} of even), it is ${byCpu.toFixed(2)}.${doubt}`;
}

function noise(results) {
  const { self, others, notes } = noiseOf(results);
  if (self === undefined) return '';
  const sentence = `The floor against itself, one round to the next, gave ratios from ${self.low.toFixed(2)} to ${self.high.toFixed(2)}: what is nearer to 1 than that is no difference. Other processes had ${percent(others)} of the core under test.`;
  return `${sentence}\n\n${notes.map((note) => `* ${note}`).join('\n')}`;
}

function method({ comparisons, telemetry: observed, memory: measured, workers: scaled }) {
  const done = new Set([...comparisons, ...observed, ...measured].map(({ name }) => name));
  const left = catalogue().filter(({ name }) => !done.has(name) && !(name === 'workers' && scaled !== undefined));
  const gap =
    left.length === 0 ? [] : [`Not measured in this run: ${left.map(({ name }) => `\`${name}\``).join(', ')}.`];
  const notes = [...gap, ...apartText({ comparisons, telemetry: observed, memory: measured })];
  return `## How it is measured

\`npm run bench\` runs all of it, \`npm run bench -- --help\` says what else it can do: some workloads only, another program beside it (\`--peer\`), flame graphs (\`--profile\`), a soak.

* Programs are started as the image starts them, with the same flags of Node.
* The program under test has a core of its own. Upstreams that replay prebuilt bytes and clients that write them share the other; where they were as busy as a core can be, or busier than the program, the run says so.
* CPU is what Linux accounts to the process, user and system, divided by requests or relayed events. Events arrive one by one, few enough at a time that the program keeps up: one that falls behind is sent several at once.
* The **floor** (\`test/bench/floor.mjs\`) takes the same requests, makes the same calls with prebuilt bodies of the same size over the same client, and relays the same answer. It looks at nothing.
* The sidecar's workers are on the machine that replays bytes; its **direct** is a client that goes to the engine, with no sidecar in between.
* All programs of a workload run at the same time, one of them under load: slices of all of them follow one another, round by round, and a ratio is taken within a round.
* A block of the event loop is the time between two looks at it in which its thread was busy. What it waited for its core is not counted: with one core pinned, V8's own threads have it then.
* Before anything is measured, answers are compared byte for byte; in every slice they have to be complete, and each request has to have made the calls of its workload.${notes.map((note) => `\n\n${note}`).join('')}`;
}

function section(title, text) {
  return text === '' ? '' : `## ${title}\n\n${text}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return rows.length === 0 ? '' : [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
