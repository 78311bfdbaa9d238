import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCKS } from '../measure/picker-process.mjs';
import { duration, percent, significant } from './figures.mjs';

const RESULTS = 'docs/performance/picker.json';

export const DECISION_HEAD = ['Endpoints', 'Tokens', 'Decisions/s', 'CPU', 'p50, ms', 'p99, ms', 'Longest, ms'];
export const PROCESS_HEAD = [
  'Endpoints',
  'At rest',
  'A request',
  'An event',
  'Idle, MiB',
  'Index',
  'With it, MiB',
  'An endpoint, MiB',
];

export function decisionRow({ endpoints, tokens, perSecond, cpu, p50, p99, longest }) {
  const counts = [endpoints, tokens].map((value) => value.toLocaleString('en'));
  return [...counts, significant(perSecond), duration(cpu), ...[p50, p99, longest].map(significant)];
}

export function processRow({ endpoints, idle, request, event, idleMib, blocks, fullMib }) {
  const known = blocks / BLOCKS;
  const memory = [idleMib.toFixed(0), percent(known / endpoints), fullMib.toFixed(0)];
  const each = ((fullMib - idleMib) / known).toFixed(2);
  return [String(endpoints), percent(idle), duration(request), duration(event), ...memory, each];
}

/** Keeps a run, for the page that is made of all of them; as the formatter has it, since it is committed. */
export async function writePickerPage(run, root) {
  const { format, resolveConfig } = await import('prettier');
  const file = join(root, RESULTS);
  writeFileSync(file, await format(JSON.stringify(run), { ...(await resolveConfig(file)), filepath: file }));
}

/** The picker's part of docs/performance.md, from the run that is kept; empty where there is none. @param table makes one of rows */
export function pickerPart(root, table) {
  const file = join(root, RESULTS);
  if (!existsSync(file)) return '';
  const { version, started, decisions, processes, seconds, note } = JSON.parse(readFileSync(file, 'utf8'));
  // of whoever put several runs together
  const remark = note === undefined ? '' : `\n\n${note}`;
  return `Measured apart, of version ${version} on ${started.slice(0, 10)}, in slices of ${seconds} s (\`npm run bench:epp\`). A decision alone, for prompts of which half begin as another one did:

${table(DECISION_HEAD, decisions.map(decisionRow))}

The process, in the configuration of the chart: the share of a core that it takes at rest, where it reads the metrics of every pod (20 times a second, 2,000 pods a second at most); CPU of a request of 10k tokens that came as one and is answered in one piece; CPU of each further event of an answer, which goes through the picker, too; and memory, when all is new, and with a prefix index that is as full as it says: of each pod it knows ${BLOCKS.toLocaleString('en')} blocks at most, here all of them different. The last column is a pod of which all is known.

${table(PROCESS_HEAD, processes.map(processRow))}${remark}`;
}
