import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes away with the test. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'e2e-'));

  /** @param content text, or a value to be written as JSON, which is YAML too @returns the file's path */
  write(name: string, content: unknown): string {
    const file = join(this.path, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return file;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
