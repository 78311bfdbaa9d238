import { existsSync, readFileSync } from 'node:fs';

/** Lists of what was measured, each by name. */
const LISTS = ['comparisons', 'telemetry', 'memory'];

/**
 * A run of some workloads put into the kept one, so that the page need not wait for a run of all: what was measured takes the place of
 * what was kept under its name, and says which version it is of (`apart`).
 */
export function withKept(results, file) {
  if (!existsSync(file)) return results;
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  const { version, started, settings } = results;
  const lists = LISTS.map((list) => {
    const measured = results[list].map((entry) => ({ ...entry, apart: { version, started, settings } }));
    const names = new Set(measured.map(({ name }) => name));
    return [list, [...kept[list].filter(({ name }) => !names.has(name)), ...measured]];
  });
  return { ...kept, ...Object.fromEntries(lists) };
}

/** What was measured apart, in a sentence for each run; nothing where all is of one run. */
export function apartText(results) {
  const entries = LISTS.flatMap((list) => results[list]).filter(({ apart }) => apart !== undefined);
  const runs = Map.groupBy(entries, ({ apart }) => `${apart.version} ${apart.started}`);
  return [...runs.values()].map((run) => {
    const { version, started, settings } = run[0].apart;
    const names = run.map(({ name }) => `\`${name}\``).join(', ');
    return `Measured apart, of version ${version} on ${started.slice(0, 10)}, ${settings.rounds} rounds of ${settings.seconds} s: ${names}.`;
  });
}
