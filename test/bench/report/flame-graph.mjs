import { escaped } from './svg.mjs';

const WIDTH = 1_400;
const ROW = 17;
const TOP = 40;
/** Frames narrower than this cannot be seen. */
const NARROW = 0.4;
/** Width of a character of the labels. */
const CHARACTER = 6.1;

/** A flame graph that stands alone: callers above, what they call below; a click widens a frame, one on the first row resets. */
export function flameGraph(root, title) {
  const frames = [];
  layOut(root, { x: 0, depth: 0, scale: WIDTH / Math.max(1, root.micros) }, frames);
  const height = TOP + ROW * (1 + Math.max(...frames.map(({ depth }) => depth))) + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">
<style>g{cursor:pointer}g:hover rect{stroke:#000}rect{stroke:#fff;stroke-width:.5}text{pointer-events:none}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="18" font-size="13">${escaped(title)}</text>
${legend()}
${frames.map((frame) => drawn(frame, root.micros)).join('\n')}
<script>${zoom}</script>
</svg>
`;
}

function layOut(frame, { x, depth, scale }, frames) {
  const width = frame.micros * scale;
  if (width < NARROW) return;
  frames.push({ name: frame.name, micros: frame.micros, x, width, depth });
  let at = x;
  for (const child of [...frame.children.values()].toSorted((a, b) => b.micros - a.micros)) {
    layOut(child, { x: at, depth: depth + 1, scale }, frames);
    at += child.micros * scale;
  }
}

function drawn({ name, micros, x, width, depth }, total) {
  const y = TOP + depth * ROW;
  const words = `${name}: ${(micros / 1000).toFixed(1)} ms, ${((100 * micros) / total).toFixed(1)} %`;
  const label = escaped(name.slice(0, Math.max(0, Math.floor(width / CHARACTER) - 1)));
  const data = `data-x="${x.toFixed(2)}" data-w="${width.toFixed(2)}" data-y="${y}" data-n="${escaped(name)}"`;
  return `<g ${data}><title>${escaped(words)}</title><rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW - 1}" fill="${colour(name)}"/><text x="${(x + 3).toFixed(2)}" y="${y + 12}">${label}</text></g>`;
}

const KINDS = [
  ['this repository', '#f2a65a', (name) => / (libs|apps)\//.test(name)],
  ['packages', '#8fbcd4', (name) => name.includes(' node_modules/')],
  ['Node', '#a9cf8f', (name) => name.includes(' node:')],
  ['garbage collection', '#d98c8c', (name) => name === '(garbage collector)'],
  ['native', '#cfcfcf', () => true],
];

function colour(name) {
  return KINDS.find(([, , matches]) => matches(name))[1];
}

function legend() {
  return KINDS.map(
    ([words, fill], index) =>
      `<rect x="${8 + index * 140}" y="25" width="10" height="10" fill="${fill}"/><text x="${22 + index * 140}" y="34">${words}</text>`,
  ).join('');
}

const zoom = `
const frames = [...document.querySelectorAll('g[data-x]')];
for (const frame of frames) frame.addEventListener('click', () => {
  const from = Number(frame.dataset.x), scale = ${WIDTH} / Number(frame.dataset.w);
  for (const other of frames) {
    const x = (Number(other.dataset.x) - from) * scale, width = Number(other.dataset.w) * scale;
    const left = Math.max(0, x), right = Math.min(${WIDTH}, x + width);
    other.style.display = right - left &lt; 0.1 ? 'none' : '';
    other.querySelector('rect').setAttribute('x', left);
    other.querySelector('rect').setAttribute('width', Math.max(0, right - left));
    const text = other.querySelector('text');
    text.setAttribute('x', left + 3);
    text.textContent = other.dataset.n.slice(0, Math.max(0, Math.floor((right - left) / ${CHARACTER}) - 1));
  }
});
`;
