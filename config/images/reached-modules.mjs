import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

/**
 * What a compiled program can load: its own files, the packages they name, and the `#names` of libs they go through. Dynamic imports
 * count, so that what is loaded on demand is there on demand.
 * @param root the repository, built
 * @param main path of the program from there
 * @returns paths from `root`, names of packages, and the files behind `#names`
 * @throws Error for an import that leads nowhere
 */
export function reachedModules(root, main) {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = new Set();
  const packages = new Set();
  const names = new Map();
  const waiting = [main];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    if (!existsSync(join(root, file))) throw new Error(`${file} is not there: build first`);
    files.add(file);
    for (const specifier of importsOf(join(root, file))) {
      if (specifier.startsWith('node:')) continue;
      if (specifier.startsWith('#')) names.set(specifier, targetOf(imports, specifier));
      const target = names.get(specifier) ?? relativeTo(file, specifier);
      if (target === undefined) packages.add(packageOf(specifier));
      else waiting.push(target);
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort(), names: new Map([...names].sort()) };
}

/** The compiler reads them, so that what stands in a text or a comment is none. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName);
}

function targetOf(imports, name) {
  const target = imports[name]?.default;
  if (target === undefined) throw new Error(`package.json does not say what ${name} is in a build`);
  return posix.normalize(target);
}

function relativeTo(file, specifier) {
  return specifier.startsWith('.') ? posix.join(dirname(file), specifier) : undefined;
}

function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
