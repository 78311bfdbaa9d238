import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { IMAGES, mainOf } from './apps.mjs';
import { lockedPackages } from './locked-packages.mjs';
import { packageFiles } from './package-files.mjs';
import { reachedModules } from './reached-modules.mjs';
import { imageSbom } from './sbom.mjs';

/** Where the SBOM lies in an image. */
export const SBOM = 'app/sbom.cdx.json';

/**
 * What lies above the system in the image of one app, file by file: what the program can load, and nothing else.
 * @param root the repository, built
 * @param image its name in `IMAGES`
 * @param system packages of the system, for the SBOM
 * @param sbom of the lockfile
 * @param epoch seconds since 1970 that it is dated to
 */
export function imagePlan(root, image, { system, sbom, epoch }) {
  const { files, packages, names } = reachedModules(root, mainOf(IMAGES[image]));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shipped = shippedPackages(root, lockedPackages(lock, packages));
  const direct = packages.map((name) => `node_modules/${name}`);
  const plan = [
    ...files.map((file) => ({ part: 'program', path: `app/${file}`, from: join(root, file) })),
    ...dataOf(root, image, files),
    ...[...shipped].flatMap(([location, { broughtBy, files: own }]) =>
      own.map((file) => ({ part: broughtBy, path: `app/${location}/${file}`, from: join(root, location, file) })),
    ),
    { part: 'program', path: 'app/package.json', text: manifest(root, names) },
    { part: 'licences', path: 'app/LICENSE', from: join(root, 'LICENSE') },
    { part: 'SBOM', path: SBOM, text: imageSbom(sbom, image, { packages: shipped, direct, system, epoch }) },
  ];
  return { plan, packages: shipped };
}

/** Those of which something is left that a process can use. */
function shippedPackages(root, packages) {
  const shipped = new Map();
  for (const [location, found] of packages) {
    if (!existsSync(join(root, location))) throw new Error(`${location} is not installed`);
    const files = packageFiles(join(root, location));
    if (files.length > 0) shipped.set(location, { ...found, files });
  }
  return shipped;
}

function dataOf(root, image, files) {
  const { data } = IMAGES[image];
  const folders = Object.entries(data).map(([reader, folder]) => {
    if (!files.includes(reader)) throw new Error(`${reader}, which reads ${folder}, is not in the program`);
    return folder;
  });
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.proto'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((from) => ({ part: 'definitions', path: `app/${relative(root, from)}`, from })),
  );
}

/** What Node and `--version` read of `package.json`: the kind of its modules, the `#names` of the program, and who it is. */
function manifest(root, names) {
  const { name, version, description, license, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imports = Object.fromEntries([...names].map(([own, target]) => [own, `./${target}`]));
  return `${JSON.stringify({ name, version, description, license, private: true, type, imports }, undefined, 2)}\n`;
}
