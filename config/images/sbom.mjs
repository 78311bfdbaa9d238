import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/**
 * Every package of the lockfile, as `npm sbom` (CycloneDX) has it. npm is not told to leave out those of development: it would leave out
 * each that a development package needs too.
 * @param root the repository
 */
export function lockedSbom(root) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  return JSON.parse(
    execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

/**
 * Of one image: the packages that lie in it, npm's and the system's, and who needs whom. The same content has the same text, whenever it
 * is made.
 * @param whole of the lockfile
 * @param image its name
 * @param packages npm's, by location: `lockedPackages`
 * @param system the system's: `systemFiles`
 * @param epoch seconds since 1970 that it is dated to
 * @throws Error for a package that `whole` does not have
 */
export function imageSbom(whole, image, { packages, direct, system, epoch }) {
  const refs = new Map([...packages].map(([location, { name, version }]) => [location, `${name}@${version}`]));
  const known = new Map(whole.components.map((component) => [component['bom-ref'], component]));
  const component = { ...whole.metadata.component, name: image, properties: [], 'bom-ref': image, purl: undefined };
  const bom = {
    ...whole,
    metadata: {
      ...whole.metadata,
      timestamp: new Date(epoch * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component,
    },
    components: [...system.map(systemComponent), ...[...new Set(refs.values())].sort().map((ref) => found(known, ref))],
    dependencies: dependencies(image, refs, packages, direct, system),
  };
  return `${JSON.stringify({ ...bom, serialNumber: serialNumber(bom) }, undefined, 2)}\n`;
}

function found(known, ref) {
  const component = known.get(ref);
  if (component === undefined) throw new Error(`npm sbom does not know ${ref}`);
  return component;
}

function systemComponent({ type, name, version }) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:${type}/${encodeURIComponent(name)}@${encodeURIComponent(version)}`,
  };
}

/** A package that lies in several places needs, in all, what it needs in each. */
function dependencies(image, refs, packages, direct, system) {
  const needs = new Map();
  for (const [location, own] of packages) {
    const ref = refs.get(location);
    needs.set(ref, [...(needs.get(ref) ?? []), ...own.needs.flatMap((need) => refs.get(need) ?? [])]);
  }
  const top = [
    ...system.map(({ name, version }) => `${name}@${version}`),
    ...direct.map((location) => refs.get(location)),
  ];
  const rows = [...needs].sort(([a], [b]) => (a < b ? -1 : 1));
  return [[image, top], ...rows].map(([ref, on]) => ({ ref, dependsOn: [...new Set(on)].sort() }));
}

/** A UUID (RFC 9562, version 8) that stands for the content. */
function serialNumber(bom) {
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...bom, serialNumber: '' }))
    .digest('hex');
  const variant = '89ab'[Number.parseInt(hash[16], 16) % 4];
  return `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
