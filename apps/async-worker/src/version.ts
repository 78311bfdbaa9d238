import { readFileSync } from 'node:fs';

/** The version in the package's own package.json, which stands above both the sources and the build. */
export function packageVersion(): string {
  const found: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown';
}
