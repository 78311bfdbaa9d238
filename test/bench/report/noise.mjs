import { medianOf } from '../measure/statistics.mjs';

/** Places that a note names. */
const NAMED = 4;

/** How far figures of this run can be trusted: what the floor shows against itself, and what the run said about slices. */
export function noiseOf({ comparisons, telemetry, settings }) {
  const all = [...comparisons, ...telemetry];
  const floors = comparisons.flatMap(({ programs }) => programs.filter(({ name }) => name === 'floor'));
  const ratios = floors.flatMap(({ cpu: { rounds } }) => rounds.slice(1).map((value, index) => value / rounds[index]));
  const notes = [...grouped(all), ...missing(all)];
  if (settings.rounds < 5) notes.unshift('fewer than five rounds: a ratio means little');
  return {
    self: ratios.length === 0 ? undefined : { low: Math.min(...ratios), high: Math.max(...ratios) },
    others: floors.length === 0 ? 0 : medianOf(floors.map(({ share }) => share.others)),
    notes,
  };
}

/** Each note once, with where it applies. */
function grouped(comparisons) {
  const byNote = new Map();
  for (const { name, programs } of comparisons) {
    for (const program of programs) {
      for (const note of program.notes) byNote.set(note, [...(byNote.get(note) ?? []), `${name} ${program.name}`]);
    }
  }
  return [...byNote].map(([note, where]) => `${note}: ${shortened(where)}`);
}

function shortened(list) {
  return list.length <= NAMED ? list.join(', ') : `${list.slice(0, NAMED).join(', ')} and ${list.length - NAMED} more`;
}

function missing(comparisons) {
  return [
    ...new Set(
      comparisons.flatMap(({ failed }) =>
        failed.map(
          ({ name, workload, reason }) =>
            `left out: ${name}${workload === undefined ? '' : ` on ${workload}`}: ${reason}`,
        ),
      ),
    ),
  ];
}
