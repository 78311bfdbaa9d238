import { readFileSync } from 'node:fs';

const PAGE = 'docs/dependencies.md';

/** One line for each dependency without its row in the page, each row without its dependency, and each version that differs. */
export function dependencyProblems(root) {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(`${root}package.json`, 'utf8'),
  );
  const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const rows = rowsOf(readFileSync(root + PAGE, 'utf8'));
  const known = new Set(wanted.map(([name]) => name));
  return [
    ...wanted
      .filter(([name, version]) => rows.get(name) !== version)
      .map(([name, version]) =>
        rows.has(name)
          ? `${PAGE}: ${name} is listed as ${rows.get(name)}, package.json has ${version}`
          : `${PAGE}: ${name} ${version} has no row; say in a sentence why it is there`,
      ),
    ...[...rows.keys()].filter((name) => !known.has(name)).map((name) => `${PAGE}: ${name} is no dependency any more`),
  ];
}

/** Version by name, of rows that begin with a name in code marks. */
function rowsOf(page) {
  return new Map([...page.matchAll(/^\| `([^`]+)`\s*\|\s*([^\s|]+)/gm)].map(([, name, version]) => [name, version]));
}
