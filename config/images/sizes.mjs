// What the images weigh, part by part, and why each part is there: `node config/images/sizes.mjs` writes the table of docs/images.md, and
// with --check fails where that is far from the truth. Needs a build.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { IMAGES } from './apps.mjs';
import { imagePlan } from './image-plan.mjs';
import { lockedSbom } from './sbom.mjs';
import { systemFiles } from './system-files.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = join(ROOT, 'docs/images.md');
const TABLE = /(<!-- sizes: .*? -->\n)([\s\S]*?)(\n<!-- end of sizes -->)/;
/** A figure may be off by so much, in megabytes and as a share, before the page has to be written anew. */
const SLACK = { megabytes: 0.3, share: 0.1 };
/** Apart from packages, whose reasons are in docs/dependencies.md. */
const REASONS = {
  Node: 'Runs the program. As its makers publish it, symbols and all, so that its checksum can be compared; it has the certificate authorities, time zones and languages in itself.',
  'C library': 'With the loader, `libm` and two stubs: what `ldd` lists of Node.',
  'C++ libraries': 'The rest of what `ldd` lists.',
  'users and names':
    '`passwd` and `group` name user 65532; `nsswitch.conf` has `/etc/hosts` come before a name server.',
  program:
    'Compiled files of the app and of the libs that it reaches, and a `package.json` that has the `#names` between them.',
  definitions: "Envoy's protobuf definitions, read at start.",
  licences: 'Ours, and those of the system libraries; packages bring their own.',
  SBOM: 'What all of this is.',
};

const rows = new Map();
const { files, packages: system } = systemFiles(process.execPath);
const sbom = lockedSbom(ROOT);
const counts = {};
for (const image of Object.keys(IMAGES)) {
  const { plan, packages } = imagePlan(ROOT, image, { system, sbom, epoch: 0 });
  counts[image] = packages.size;
  for (const { part, from, text } of [...files, ...plan]) {
    const row = rows.get(part) ?? rows.set(part, {}).get(part);
    row[image] = (row[image] ?? 0) + (from === undefined ? Buffer.byteLength(text) : statSync(from).size);
  }
}
const page = readFileSync(PAGE, 'utf8');
if (process.argv.includes('--check')) check(TABLE.exec(page)?.[2] ?? '', table());
else {
  const written = page.replace(TABLE, (_, begin, __, end) => `${begin}\n${table()}${end}`);
  writeFileSync(PAGE, await format(written, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

function table() {
  const images = Object.keys(IMAGES);
  const reasons = new Map([...packageReasons(), ...Object.entries(REASONS)]);
  const isPackage = (part) => REASONS[part] === undefined;
  const parts = [
    ...Object.keys(REASONS).filter((part) => rows.has(part)),
    ...[...rows.keys()].filter(isPackage).sort(),
  ];
  const total = (image) => parts.reduce((sum, part) => sum + (rows.get(part)[image] ?? 0), 0);
  const lines = [
    ['Part', ...images, 'Why'],
    ['---', ...images.map(() => '---:'), '---'],
    ...parts.map((part) => [
      isPackage(part) ? `\`${part}\`` : part,
      ...images.map((image) => megabytes(rows.get(part)[image])),
      reasons.get(part) ?? 'docs/dependencies.md does not say.',
    ]),
    [
      '**all**',
      ...images.map((image) => `**${megabytes(total(image))}**`),
      `${images.map((image) => counts[image]).join(', ')} packages.`,
    ],
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Two digits, for parts are between a kilobyte and Node. */
function megabytes(bytes) {
  return bytes === undefined ? '' : (bytes / 1_000_000).toFixed(2);
}

function packageReasons() {
  const lines = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, name, reason] = /^\| `([^`]+)`\s*\|[^|]*\|\s*(.*?)\s*\|$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, reason]];
  });
}

/** Names of parts have to be those; figures may have moved a little. */
function check(foundTable, wantedTable) {
  const [found, wanted] = [foundTable, wantedTable].map(figures);
  const off = [...new Set([...found.keys(), ...wanted.keys()])].filter(
    (key) => !isNear(found.get(key), wanted.get(key)),
  );
  for (const key of off)
    console.error(`docs/images.md: ${key} is ${found.get(key) ?? 'missing'}, not ${wanted.get(key) ?? 'there'}`);
  if (off.length > 0) console.error('"node config/images/sizes.mjs" writes it anew');
  process.exitCode = off.length === 0 ? 0 : 1;
}

function isNear(found, wanted) {
  if (found === undefined || wanted === undefined) return false;
  return Math.abs(found - wanted) <= Math.max(SLACK.megabytes, SLACK.share * wanted);
}

function figures(text) {
  const cells = text.split('\n').map((line) => line.split('|').map((cell) => cell.replaceAll('*', '').trim()));
  return new Map(
    cells.flatMap(([, part, ...values]) =>
      Object.keys(IMAGES).flatMap((image, index) =>
        Number(values[index]) > 0 ? [[`${part} in ${image}`, Number(values[index])]] : [],
      ),
    ),
  );
}
