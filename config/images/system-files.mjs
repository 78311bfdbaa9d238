import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Nobody has to log in; the names are for tools that look a number up. */
const USERS = [
  ['root', 0],
  ['nonroot', 65_532],
];
/** Hosts that the container engine writes down come before those of a name server, as a system would have it. */
const NAME_SERVICE = 'hosts: files dns\n';

/**
 * What stands beneath the program: Node, the libraries that `ldd` names, and three files that the C library reads. No shell, no package
 * manager. Node has certificate authorities in itself, so there is no store of them.
 * @param node path of the Node that goes in
 * @returns the files, and the packages of the system that they are from, which is what an SBOM says
 * @throws Error where there is no `ldd`, or Node is linked otherwise
 */
export function systemFiles(node) {
  const libraries = librariesOf(node);
  const debs = packagesOf(libraries);
  const licence = [join(dirname(node), '../LICENSE')].filter(existsSync);
  return {
    files: [
      { part: 'Node', path: 'usr/local/bin/node', from: node },
      ...licence.map((from) => ({ part: 'Node', path: 'usr/local/LICENSE', from })),
      ...libraries.map((library) => ({ part: partOf(library), path: library.slice(1), from: library })),
      ...debs.flatMap(({ name }) => copyright(name)),
      {
        part: 'users and names',
        path: 'etc/passwd',
        text: USERS.map(([name, id]) => `${name}:x:${id}:${id}:${name}:/:/sbin/nologin\n`).join(''),
      },
      { part: 'users and names', path: 'etc/group', text: USERS.map(([name, id]) => `${name}:x:${id}:\n`).join('') },
      { part: 'users and names', path: 'etc/nsswitch.conf', text: NAME_SERVICE },
    ],
    packages: [{ type: 'generic', name: 'node', version: run(node, ['--version']).trim().slice(1) }, ...debs],
  };
}

function librariesOf(node) {
  const listed = run('ldd', [node]);
  const paths = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
  if (!paths.some((path) => /\/libc\.so/.test(path))) throw new Error(`ldd names no C library of ${node}`);
  return paths.sort();
}

function partOf(library) {
  return /^lib(stdc\+\+|gcc_s)\./.test(basename(library)) ? 'C++ libraries' : 'C library';
}

/** Debian packages that the libraries are from; none where there is no `dpkg`. */
function packagesOf(libraries) {
  if (!existsSync('/usr/bin/dpkg-query')) return [];
  // Debian keeps them beneath /usr and lists some of them without it
  const owners = libraries.flatMap((library) => run('dpkg-query', ['--search', `*${library}`]).split('\n'));
  const names = new Set(
    owners.map((line) => line.split(':')[0]).filter((name) => /^lib(c6|gcc-s1|stdc\+\+6)$/.test(name)),
  );
  return [...names].sort().map((name) => ({
    type: 'deb/debian',
    name,
    version: run('dpkg-query', ['--show', '--showformat=${Version}', name]),
  }));
}

function copyright(name) {
  const from = `/usr/share/doc/${name}/copyright`;
  return existsSync(from) ? [{ part: 'licences', path: from.slice(1), from }] : [];
}

function run(program, args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
