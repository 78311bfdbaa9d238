/**
 * Packages with all that they need, as `package-lock.json` has them. What is optional stays out: nothing here waits for it.
 * @param lock the parsed lockfile
 * @param names packages that a program imports
 * @returns for each location (`node_modules/a/node_modules/b`) its name, version, what it needs, and the one of `names` that it came with
 * @throws Error for a package that the lockfile does not have, or has for development alone
 */
export function lockedPackages(lock, names) {
  const found = new Map();
  // breadth first, so that what several bring is counted with the nearest
  const waiting = names.map((name) => ({ name, from: '', broughtBy: name }));
  for (const { name, from, broughtBy } of waiting) {
    const location = locate(lock, name, from);
    if (found.has(location)) continue;
    const entry = lock.packages[location];
    if (entry.dev === true) throw new Error(`${location} is there for development alone`);
    const needs = neededBy(entry);
    found.set(location, {
      name,
      version: entry.version,
      broughtBy,
      needs: needs.map((need) => locate(lock, need, location)),
    });
    waiting.push(...needs.map((need) => ({ name: need, from: location, broughtBy })));
  }
  return found;
}

/** Packages of the Bare runtime: those that name them do so under a condition that Node does not have. */
const OTHER_RUNTIME = /^bare-/;

function neededBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...peers].filter((name) => !OTHER_RUNTIME.test(name));
}

/** As Node looks for it: in the package itself, then upwards. */
function locate(lock, name, from) {
  for (let folder = from; ; folder = parentOf(folder)) {
    const location = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[location] !== undefined) return location;
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${from || 'the program'}`);
  }
}

function parentOf(location) {
  const at = location.lastIndexOf('/node_modules/');
  return at < 0 ? '' : location.slice(0, at);
}
