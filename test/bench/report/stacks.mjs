/** Time without work, and what measuring takes: no part of the program. */
const FOREIGN = /^\(idle\)$|\/gauge\.preload\.mjs:/;

/**
 * The stacks of a CPU profile (`.cpuprofile`) as one tree, by function: equal paths are one.
 * @returns `{ name, micros, children: Map }`, `micros` with everything below
 */
export function stacksOf({ nodes, samples, timeDeltas }) {
  const own = new Map();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + timeDeltas[index]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root = newFrame('all');
  for (const id of nodes[0].children ?? []) add(root, byId.get(id), byId, own);
  root.micros = sumOf(root);
  return root;
}

/** One line a stack, as flame graph tools read it: `a;b;c microseconds`. */
export function foldedText(root) {
  const lines = [];
  const walk = (frame, path) => {
    const self = frame.micros - sumOf(frame);
    if (self > 0 && path !== '') lines.push(`${path} ${self}`);
    for (const child of frame.children.values()) walk(child, path === '' ? child.name : `${path};${child.name}`);
  };
  walk(root, '');
  return `${lines.join('\n')}\n`;
}

/** A function and where it is, short enough to be read. */
export function frameName({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name} ${shortUrl(url)}:${lineNumber + 1}`.replaceAll(';', ',');
}

function shortUrl(url) {
  return url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/(?:node_modules|dist)\//, (path) => (path.endsWith('dist/') ? '' : 'node_modules/'));
}

function add(parent, node, byId, own) {
  const name = frameName(node.callFrame);
  if (FOREIGN.test(name)) return;
  const frame = parent.children.get(name) ?? newFrame(name);
  parent.children.set(name, frame);
  const before = sumOf(frame);
  for (const id of node.children ?? []) add(frame, byId.get(id), byId, own);
  frame.micros += (own.get(node.id) ?? 0) + sumOf(frame) - before;
}

function newFrame(name) {
  return { name, micros: 0, children: new Map() };
}

function sumOf({ children }) {
  let sum = 0;
  for (const { micros } of children.values()) sum += micros;
  return sum;
}
