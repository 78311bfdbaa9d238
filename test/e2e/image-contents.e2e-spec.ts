import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { IMAGES } from '../../config/images/apps.mjs';
import { IMAGE_NAMES, ImageFolder } from './support/image.folder.ts';
import type { ImageName } from './support/image.folder.ts';

// some hundred megabytes are written, and the machine may be busy
jest.setTimeout(120_000);

const EPOCH = 1_700_000_000;

/** What is read here of CycloneDX. */
interface Sbom {
  readonly metadata: { readonly timestamp: string; readonly component: { readonly name: string } };
  readonly components: readonly { readonly 'bom-ref': string; readonly purl: string; readonly licenses?: unknown }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

describe('the images, assembled without a container engine', () => {
  let images: ImageFolder;
  beforeAll(async () => {
    images = await ImageFolder.assemble(EPOCH);
  });
  afterAll(() => {
    images.remove();
  });

  it('are the same, byte for byte, time for time, when they are assembled again by somebody else', async () => {
    const again = await ImageFolder.assemble(EPOCH, '077');
    try {
      const [first, second] = [images.fingerprints(), new Set(again.fingerprints())];
      expect(first.filter((entry) => !second.has(entry))).toEqual([]);
      expect(first).toHaveLength(second.size);
    } finally {
      again.remove();
    }
  });

  it('have one time, belong to root, and can be written by nobody else', () => {
    const odd = images.fingerprints().filter((entry) => !/ (100644|100755|40755) 0 0 1700000000000 /.test(entry));
    // the SBOM beside them is for whoever assembled them, and the folder of the test is the test's
    expect(odd.filter((entry) => !entry.includes('.cdx.json '))).toEqual([]);
  });

  it('stand on Node, the libraries it is linked with, and nothing that could be run beside it', () => {
    const system = images.files('system');
    expect(
      system.filter((file) => !/^(usr\/local\/(bin\/node|LICENSE)|(usr\/)?lib(64)?\/.*\.so\.\d+)$/.test(file)),
    ).toEqual([
      'etc/group',
      'etc/nsswitch.conf',
      'etc/passwd',
      ...system.filter((file) => file.startsWith('usr/share/doc/')),
    ]);
    expect(system).toContain('usr/local/bin/node');
  });

  describe.each(IMAGE_NAMES)('%s', (name) => {
    it('has nothing that only people, compilers or tests read', () => {
      const read = images.files(name).filter((file) => /\.(ts|cts|mts|map|md)$|\.(spec|fixture)\.\w+$/.test(file));
      expect(read.filter((file) => !/licen[cs]e/i.test(file))).toEqual([]);
    });

    it('has an SBOM, inside and beside it, that lists the packages in it and no others', () => {
      const text = images.read(`${name}/app/sbom.cdx.json`);
      expect(images.read(`${name}.cdx.json`)).toBe(text);
      const sbom = JSON.parse(text) as Sbom; // as CycloneDX has it
      const listed = sbom.components.filter(({ purl }) => purl.startsWith('pkg:npm/')).map((one) => one['bom-ref']);
      expect(listed).toEqual([...new Set(installed(images, name))].sort());
      expect(sbom.metadata).toMatchObject({ timestamp: '2023-11-14T22:13:20.000Z', component: { name } });
      const refs = new Set([name, ...sbom.components.map((one) => one['bom-ref'])]);
      const unknown = sbom.dependencies
        .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
        .filter((ref) => !refs.has(ref));
      expect(unknown).toEqual([]);
    });

    it('has an SBOM that names the Node of the image', () => {
      const sbom = JSON.parse(images.read(`${name}/app/sbom.cdx.json`)) as Sbom; // as CycloneDX has it
      const node = sbom.components.find(({ purl }) => purl.startsWith('pkg:generic/node@'));
      expect(node?.purl).toBe(`pkg:generic/node@${process.versions.node}`);
    });

    it('has the program of its own app alone', () => {
      const apps = new Set(images.files(name).flatMap((file) => /^app\/dist\/apps\/([^/]+)/.exec(file)?.[1] ?? []));
      expect([...apps]).toEqual([IMAGES[name]?.app]);
    });
  });

  it.each([
    {
      what: 'the client of Kubernetes',
      path: 'app/node_modules/@kubernetes/',
      in: ['endpoint-picker', 'decode-sidecar'],
    },
    { what: "Envoy's definitions", path: 'app/libs/ext-proc/proto/envoy/', in: ['endpoint-picker'] },
    { what: 'the server of ext_proc', path: 'app/dist/libs/ext-proc/', in: ['endpoint-picker'] },
    { what: 'the broker', path: 'app/dist/libs/steps/src/async-broker/', in: ['coordinator'] },
    { what: 'what takes from the queue', path: 'app/dist/libs/dispatch/', in: ['async-worker'] },
    // spans leave over gRPC unless OTEL_EXPORTER_OTLP_PROTOCOL says otherwise
    { what: 'gRPC', path: 'app/node_modules/@grpc/grpc-js/', in: IMAGE_NAMES },
    { what: 'a compiler', path: 'app/node_modules/typescript/', in: [] },
    { what: 'types', path: 'app/node_modules/@types/', in: [] },
    { what: 'a package for another runtime', path: 'app/node_modules/bare-', in: [] },
  ])('$what is in $in', ({ path, in: expected }) => {
    const found = IMAGE_NAMES.filter((name) => images.files(name).some((file) => file.startsWith(path)));
    expect(found).toEqual(expected);
  });

  it('weigh what docs/images.md says, part by part', async () => {
    const script = fileURLToPath(new URL('../../config/images/sizes.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [script, '--check']); // rejects with what it prints
  });

  it('have the licence of every package that brings one', () => {
    const lost = IMAGE_NAMES.flatMap((name) => {
      const files = new Set(images.files(name));
      return [...files].filter((file) => isPackage(file) && hasLicence(file) && !files.has(licenceOf(file)));
    });
    expect(lost).toEqual([]);
  });
});

const isPackage = (file: string): boolean => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(file);

/** `name@version` of every package that lies in an image. */
function installed(images: ImageFolder, name: ImageName): readonly string[] {
  return images
    .files(name)
    .filter(isPackage)
    .map((file) => {
      const found = JSON.parse(images.read(`${name}/${file}`)) as { name: string; version: string }; // npm installs no other
      return `${found.name}@${found.version}`;
    });
}

const licenceOf = (file: string): string => `${dirname(file)}/LICENSE`;

function hasLicence(file: string): boolean {
  try {
    return readFileSync(new URL(`../../${licenceOf(file).slice('app/'.length)}`, import.meta.url)).length > 0;
  } catch {
    return false; // it has none of that name
  }
}
