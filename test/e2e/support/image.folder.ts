import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { TemporaryFolder } from './temporary-folder.ts';

export const IMAGE_NAMES = ['coordinator', 'endpoint-picker', 'decode-sidecar', 'async-worker'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];

const SCRIPT = fileURLToPath(new URL('../../../config/images/assemble.mjs', import.meta.url));

/** What the images consist of, assembled from the build as the Dockerfile does it, in folders that go away with the test. */
export class ImageFolder {
  private readonly folder = new TemporaryFolder();

  /** @param umask that of whoever assembles, in octal @throws Error when it cannot be assembled, such as without a build */
  static async assemble(epoch: number, umask = '022'): Promise<ImageFolder> {
    const images = new ImageFolder();
    const shell = `umask ${umask}; exec "$@"`;
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
    await promisify(execFile)('sh', ['-c', shell, 'sh', process.execPath, SCRIPT, images.folder.path], { env });
    return images;
  }

  /** The layer of all images, or of one. */
  layer(name: ImageName | 'system'): string {
    return join(this.folder.path, name);
  }

  /** Files of a layer, sorted, from its root. */
  files(name: ImageName | 'system'): readonly string[] {
    const root = this.layer(name);
    return entriesOf(root)
      .filter((path) => !statSync(path).isDirectory())
      .map((path) => relative(root, path));
  }

  /** A file of a layer, or what lies beside them. */
  read(path: string): string {
    return readFileSync(join(this.folder.path, path), 'utf8');
  }

  /** Of every file and folder: path, mode, owner, time, and a hash of the content. */
  fingerprints(): readonly string[] {
    return entriesOf(this.folder.path).map((path) => {
      const { mode, uid, gid, mtimeMs } = statSync(path);
      const isFolder = statSync(path).isDirectory();
      const content = isFolder ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex');
      return [relative(this.folder.path, path), mode.toString(8), uid, gid, mtimeMs, content].join(' ');
    });
  }

  remove(): void {
    this.folder.remove();
  }
}

function entriesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => join(root, name));
}
