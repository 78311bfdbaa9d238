import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startOf } from './dockerfile.ts';
import type { ImageFolder, ImageName } from './image.folder.ts';
import { ProgramProcess } from './program.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/**
 * Layers one over the other, read-only for nothing is there to be written to, with what a container engine mounts. The process is the
 * program itself in the end, so that signals reach it.
 */
const MOUNT = `set -e
layers=$1 root=$2 user=$3
shift 3
mount -t overlay overlay -o "lowerdir=$layers" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "--userspec=$user" --groups= "$root" "$@"`;

/** What the engine puts into every container. */
const ENGINE_FILES = { 'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n', 'etc/resolv.conf': '' };

export interface ImageRun {
  /** Files that are mounted into it, by path from its root. */
  readonly files?: Readonly<Record<string, string>>;
  /** In place of the image's own. */
  readonly args?: readonly string[];
  readonly entrypoint?: readonly string[];
}

/** A container of an image, without an engine: its layers as the root, its user, its environment, its entry point. */
export class ImageProcess extends ProgramProcess {
  private constructor(command: readonly string[], folder: TemporaryFolder) {
    super('the container', command);
    // what was mounted went with the process
    void this.ended.then(() => {
      folder.remove();
    });
  }

  static start(images: ImageFolder, name: ImageName, run: ImageRun = {}): ImageProcess {
    const { entrypoint, cmd, user, env } = startOf(name);
    const folder = new TemporaryFolder();
    const [engine, root] = ['engine', 'root'].map((own) => join(folder.path, own)) as [string, string]; // of two come two
    for (const empty of [root, join(engine, 'proc'), join(engine, 'dev')]) mkdirSync(empty, { recursive: true });
    for (const [path, text] of Object.entries({ ...ENGINE_FILES, ...run.files })) {
      mkdirSync(dirname(join(engine, path)), { recursive: true });
      writeFileSync(join(engine, path), text);
    }
    const layers = [engine, images.layer(name), images.layer('system')].join(':');
    const program = [...(run.entrypoint ?? entrypoint), ...(run.args ?? cmd)];
    const mounted = ['/bin/sh', '-c', MOUNT, 'sh', layers, root, user, ...program];
    return new ImageProcess(['unshare', '--mount', 'env', '-i', ...env, ...mounted], folder);
  }

  /** A line of `/proc/PID/status`, such as that of `Uid`: numbers after the name. */
  status(name: string): readonly number[] {
    const line = new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return (line ?? '').split(/\s+/).filter(Boolean).map(Number);
  }

  /** Options with which the process has its root mounted. */
  rootOptions(): readonly string[] {
    const mounts = readFileSync(`/proc/${this.pid}/mountinfo`, 'utf8').split('\n');
    const root = mounts.map((line) => line.split(' ')).find(([, , , , at]) => at === '/');
    // of the file system, after the dash: an overlay without a layer to write to says so there
    return [...(root?.[5] ?? '').split(','), ...(root?.at(-1) ?? '').split(',')];
  }
}

/** Why images cannot be run here; undefined where they can. */
export function obstacleToRunning(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root of a Linux may mount layers';
  const folder = new TemporaryFolder();
  for (const own of ['a', 'b', 'root']) mkdirSync(join(folder.path, own));
  const mount = `mount -t overlay overlay -o lowerdir=${folder.path}/a:${folder.path}/b ${folder.path}/root`;
  const { status, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', mount], { encoding: 'utf8' });
  rmSync(folder.path, { recursive: true });
  return status === 0 ? undefined : `no overlay can be mounted: ${stderr.trim()}`;
}
