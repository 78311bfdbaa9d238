import { escaped } from './svg.mjs';

const WIDTH = 900;
const LEFT = 170;
const RIGHT = 70;
const ROW = 26;
const TOP = 58;
const COLOURS = { coordinator: '#2f6f9f', sidecar: '#4f8a5b', peer: '#b07d3a' };

/** CPU as a multiple of the floor's, a bar for each workload, with the lowest and highest round and the target. */
export function ratioChart({ comparisons, machine, version }) {
  const bars = comparisons.flatMap(({ name, programs }) =>
    programs.filter(({ ratio }) => ratio !== undefined).map((program) => ({ workload: name, ...program })),
  );
  const most = Math.max(2, ...bars.map(({ ratio, target }) => Math.max(ratio.high, target ?? 0)));
  const x = (value) => LEFT + (value / most) * (WIDTH - LEFT - RIGHT);
  const height = TOP + bars.length * ROW + 34;
  const ticks = Array.from({ length: Math.floor(most * 2) + 1 }, (_, index) => index / 2);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="20" font-size="15">CPU as a multiple of the floor</text>
<text x="12" y="38" fill="#555">${escaped(`${version}, ${machine.processor}, ${machine.cores} cores, Node ${machine.node}; thin: lowest to highest round, mark: target`)}</text>
${ticks.map((value) => tick(value, x(value), height)).join('\n')}
${bars.map((bar, index) => drawn(bar, TOP + index * ROW, x)).join('\n')}
</svg>
`;
}

function tick(value, x, height) {
  const colour = value === 1 ? '#444' : '#ddd';
  return `<line x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${height - 26}" stroke="${colour}"/><text x="${x}" y="${height - 10}" text-anchor="middle" fill="#555">${value}</text>`;
}

function drawn({ workload, name, ratio, target }, y, x) {
  const middle = y + ROW / 2 - 2;
  const mark =
    target === undefined
      ? ''
      : `<line x1="${x(target)}" y1="${y}" x2="${x(target)}" y2="${y + ROW - 4}" stroke="#c0392b" stroke-width="2"/>`;
  return `<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${escaped(name === 'peer' ? name : workload)}</text>
<rect x="${x(0)}" y="${y + 4}" width="${(x(ratio.median) - x(0)).toFixed(1)}" height="${ROW - 12}" fill="${COLOURS[name] ?? '#888'}"/>
<line x1="${x(ratio.low).toFixed(1)}" y1="${middle}" x2="${x(ratio.high).toFixed(1)}" y2="${middle}" stroke="#000" stroke-width="1.5"/>
${mark}<text x="${(x(Math.max(ratio.high, target ?? 0)) + 6).toFixed(1)}" y="${middle + 4}">${ratio.median.toFixed(2)}</text>`;
}
