import type { ByteObserver } from '#protocol';

/** Bytes of an error's body that are looked at (`coordinator.md` A.7). */
const MAX_SEEN = 8 * 1024;
const MAX_ITEMS = 10;
const MAX_DEPTH = 8;
const MAX_KEY = 64;

/** Size of a body in bytes; undefined where it is not known yet. */
export function ropeBytes(body: unknown): number | undefined {
  if (!Array.isArray(body)) return undefined;
  return body.reduce<number>((sum, part: unknown) => sum + (Buffer.isBuffer(part) ? part.length : 0), 0);
}

/**
 * The shape of an upstream's error: its keys, numbers and switches, but no word of its texts, since those may repeat a prompt or a
 * credential (`decisions.md` R2, O5).
 */
export class ErrorBodyShape implements ByteObserver {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly onShape: (shape: unknown) => void) {}

  chunk(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length <= MAX_SEEN) this.chunks.push(chunk);
  }

  end(): void {
    this.onShape(this.length > MAX_SEEN ? { bytes: this.length } : this.shape());
  }

  private shape(): unknown {
    try {
      return redacted(JSON.parse(Buffer.concat(this.chunks).toString('utf8')), 0);
    } catch {
      return { bytes: this.length };
    }
  }
}

/** Numbers that say what kind of error it is; any other may be a token id. */
const TELLING: ReadonlySet<string> = new Set(['code', 'status', 'status_code']);

function redacted(value: unknown, depth: number, key = ''): unknown {
  if (typeof value === 'string') return `[${value.length} characters]`;
  if (typeof value === 'number') return TELLING.has(key) ? value : '[number]';
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[truncated]';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redacted(item, depth + 1));
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.map(([name, member]) => [name.slice(0, MAX_KEY), redacted(member, depth + 1, name)]),
  );
}
