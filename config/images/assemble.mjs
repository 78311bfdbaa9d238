// What the images consist of, as folders: `node config/images/assemble.mjs OUT [NODE]`. OUT gets `system`, which all images have, a folder
// for each image with what comes on top of it, and `IMAGE.cdx.json`, its SBOM. The Dockerfile runs it, and so does the test that starts
// the programs from there. Needs a build, and packages as `npm ci` installs them. SOURCE_DATE_EPOCH dates everything; 0 without it.
import { copyFileSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IMAGES } from './apps.mjs';
import { SBOM, imagePlan } from './image-plan.mjs';
import { lockedSbom } from './sbom.mjs';
import { systemFiles } from './system-files.mjs';
import { writeTree } from './write-tree.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const [out, node = process.execPath] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node config/images/assemble.mjs OUT [NODE]');
const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
if (!Number.isSafeInteger(epoch) || epoch < 0)
  throw new Error('SOURCE_DATE_EPOCH is not a number of seconds since 1970');
const system = systemFiles(node);
const sbom = lockedSbom(ROOT);
writeTree(join(resolve(out), 'system'), system.files, epoch);
for (const image of Object.keys(IMAGES)) {
  const { plan, packages } = imagePlan(ROOT, image, { system: system.packages, sbom, epoch });
  const folder = join(resolve(out), image);
  writeTree(folder, plan, epoch);
  copyFileSync(join(folder, SBOM), `${folder}.cdx.json`);
  utimesSync(`${folder}.cdx.json`, epoch, epoch);
  console.log(`${folder}: ${plan.length} files, ${packages.size} packages`);
}
