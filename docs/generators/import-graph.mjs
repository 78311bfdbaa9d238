import { execFileSync } from 'node:child_process';
import { GENERATED, table } from './markdown.mjs';

/** `docs/import-graph.md`: what imports what, specs left out, as dependency-cruiser finds it. */
export function importGraph(root) {
  const edges = edgesOf(cruise(root));
  const names = [...edges.keys()].toSorted();
  const arrows = names.flatMap((from) => direct(edges, from).map((to) => `  ${id(from)} --> ${id(to)}`));
  const nodes = names.map((name) => `  ${id(name)}${name.startsWith('apps/') ? `([${name}])` : `[${name}]`}`);
  const text = [
    GENERATED,
    '# Import graph',
    'An arrow goes from what imports to what is imported; one that follows from others is left out. What may be imported is a table in `eslint.config.mjs`.',
    ['```mermaid', 'flowchart TD', ...nodes, ...arrows, '```'].join('\n'),
    table(
      ['From', 'imports'],
      names.map((name) => [name, [...(edges.get(name) ?? [])].toSorted().join(', ')]),
    ),
  ];
  return [{ path: 'docs/import-graph.md', text: text.join('\n\n') }];
}

function cruise(root) {
  const bin = `${root}node_modules/dependency-cruiser/bin/dependency-cruiser.mjs`;
  const args = ['apps', 'libs', '-c', '.dependency-cruiser.cjs', '-T', 'json', '-x', String.raw`\.(spec|fixture)\.ts$`];
  return JSON.parse(execFileSync(process.execPath, [bin, ...args], { cwd: root, maxBuffer: 2 ** 28 })).modules;
}

function edgesOf(modules) {
  const edges = new Map();
  for (const { source, dependencies } of modules) {
    const from = unitOf(source);
    if (from === undefined) continue;
    const targets = edges.get(from) ?? new Set();
    for (const { resolved } of dependencies) {
      const to = unitOf(resolved);
      if (to !== undefined && to !== from) targets.add(to);
    }
    edges.set(from, targets);
  }
  return edges;
}

/** `apps/coordinator`, or the lib's name. */
function unitOf(path) {
  const [, kind, name] = /^(apps|libs)\/([^/]+)\//.exec(path) ?? [];
  return kind === undefined ? undefined : kind === 'apps' ? `apps/${name}` : name;
}

/** The imports of `from` that no other of its imports leads to. */
function direct(edges, from) {
  const targets = [...(edges.get(from) ?? [])].toSorted();
  return targets.filter((to) => !targets.some((other) => other !== to && reaches(edges, other, to)));
}

function reaches(edges, from, to) {
  return [...(edges.get(from) ?? [])].some((next) => next === to || reaches(edges, next, to));
}

function id(name) {
  return name.replaceAll(/\W/g, '_');
}
