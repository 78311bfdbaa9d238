import type { Finding } from './conform.ts';
import { isMap } from './schema-walk.ts';

/** How places in the configuration are called in messages: by their path, or by the variable or flag that set them. */
export class PathNames {
  private readonly setters = new Map<string, string>();

  /** @param isSet false leaves the place called by its path */
  add(path: readonly PropertyKey[], setter: string, isSet: boolean): void {
    if (isSet) this.setters.set(keyOf(path), setter);
  }

  /** `pipeline.steps[1].params`, or `COORDINATOR_GATEWAY_TIMEOUT`. */
  render(path: readonly PropertyKey[]): string {
    if (path.length === 0) return '(top level)';
    const { setter, depth } = this.setterOf(path);
    return path
      .slice(depth)
      .reduce<string>((text, segment) => text + renderSegment(segment, text === ''), setter ?? '');
  }

  /** First what the file says, in its order (what is missing after what is there), then the rest. */
  inOrder(findings: readonly Finding[], file: unknown): Finding[] {
    return findings
      .map((finding) => ({ finding, place: this.placeOf(finding.path, file) }))
      .toSorted((a, b) => comparePlaces(a.place, b.place))
      .map(({ finding }) => finding);
  }

  private setterOf(path: readonly PropertyKey[]): { setter: string | undefined; depth: number } {
    for (let depth = path.length; depth > 0; depth--) {
      const setter = this.setters.get(keyOf(path.slice(0, depth)));
      if (setter !== undefined) return { setter, depth };
    }
    return { setter: undefined, depth: 0 };
  }

  private placeOf(path: readonly PropertyKey[], file: unknown): number[] {
    if (this.setterOf(path).setter !== undefined) return [Infinity];
    let value = file;
    return path.map((segment) => {
      const keys = Array.isArray(value) || !isMap(value) ? [] : Object.keys(value);
      const index = typeof segment === 'number' ? segment : placeOfKey(keys, String(segment));
      value = Array.isArray(value) ? value[index] : isMap(value) ? value[keys[index] ?? ''] : undefined;
      return index;
    });
  }
}

/** An identifier can go after a dot; anything else is quoted, and cut when it is long. */
function renderSegment(segment: PropertyKey, isFirst: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  const name = String(segment).slice(0, 80);
  if (!/^[\w-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

function placeOfKey(keys: readonly string[], key: string): number {
  const exact = keys.indexOf(key);
  const index = exact >= 0 ? exact : keys.findIndex((name) => name.toLowerCase() === key.toLowerCase());
  return index >= 0 ? index : keys.length;
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((index, depth) => index !== b[depth]);
  if (difference < 0) return a.length - b.length;
  return (a[difference] ?? -1) - (b[difference] ?? -1);
}

function keyOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('\0');
}
