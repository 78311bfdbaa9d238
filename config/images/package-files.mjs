import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Texts of licences go wherever their package goes. */
const LICENCE = /^(licen[cs]e|notice|copying|copyright)/i;
/** Node refuses TypeScript beneath `node_modules`, is not told to read source maps, and nobody reads documents in there. */
const NOT_RUN = /\.((ts|cts|mts|tsx|map|md|markdown|txt|tsbuildinfo|flow)|spec\.\w+)$/i;
/** At the top of a package; what a package runs is elsewhere. */
const NOT_RUN_FOLDERS = new Set([
  'test',
  'tests',
  'spec',
  'specs',
  '__tests__',
  'docs',
  'doc',
  'example',
  'examples',
  'bench',
  'benchmark',
  'benchmarks',
]);

/**
 * Files of an installed package that can be of use to a process, without the packages that lie in it.
 * @param folder the package
 * @returns sorted paths from there; none for a package of types alone
 */
export function packageFiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(isOfUse);
  return files.some((file) => file !== 'package.json' && !LICENCE.test(file)) ? files.sort() : [];
}

function isOfUse(path) {
  const parts = path.split('/');
  if (parts.some((part) => part === 'node_modules' || part.startsWith('.'))) return false;
  const [top = ''] = parts;
  if (parts.length > 1 && NOT_RUN_FOLDERS.has(top)) return false;
  const name = parts.at(-1) ?? '';
  return LICENCE.test(name) || !NOT_RUN.test(name);
}
