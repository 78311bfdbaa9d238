import { Pacer } from '#foundation';
import type { Format } from './exposition.ts';

const EOF = '# EOF\n';

/**
 * Several expositions as one: each family once, with the series of all. The processes number themselves in a label, so that no series is
 * there twice, and one that began again is seen to.
 */
export async function* mergeExpositions(texts: readonly string[], format: Format): AsyncGenerator<string> {
  const pacer = new Pacer();
  const families = new Map<string, string[]>();
  for (const text of texts) {
    for (const family of familiesOf(text)) {
      const name = family.slice(0, family.indexOf('\n'));
      const known = families.get(name);
      if (known === undefined) families.set(name, [family]);
      else known.push(withoutHead(family));
      if (pacer.isDue()) await pacer.rest();
    }
  }
  for (const parts of families.values()) yield parts.join('');
  if (format === 'openmetrics') yield EOF;
}

/** Each begins with its HELP line. */
function familiesOf(text: string): string[] {
  const body = text.endsWith(EOF) ? text.slice(0, -EOF.length) : text;
  return body.split(/^(?=# HELP )/m).filter((family) => family !== '');
}

/** A family's samples, behind its HELP and TYPE lines. */
function withoutHead(family: string): string {
  return family.slice(family.indexOf('\n', family.indexOf('\n') + 1) + 1);
}
