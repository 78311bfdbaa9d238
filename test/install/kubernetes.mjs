import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath, refuse, runAsScript } from './packages.mjs';

const NAME = 'the API server of Kubernetes';
const SOURCE = fileURLToPath(new URL('./kubernetes/', import.meta.url));
const INPUTS = ['go.mod', 'go.sum', 'main.go'].map((file) => readFileSync(join(SOURCE, file)));
/** Clients ask for the version, and the linker is what knows it. */
const VERSION = /^\s*k8s\.io\/kubernetes (v\S+)$/m.exec(String(INPUTS[0]))?.[1];
const LINKER_FLAGS = `-s -w -X k8s.io/component-base/version.gitVersion=${VERSION}`;
const FLAGS = ['-p=2', '-trimpath', '-buildvcs=false', `-ldflags=${LINKER_FLAGS}`];
const HASH = [...INPUTS, ...FLAGS].reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/kubernetes-${HASH.slice(0, 12)}`, import.meta.url));
const PROGRAM = join(FOLDER, 'kubernetes');

/**
 * Path of a program that is the API server of Kubernetes with its etcd: built from Go modules once for a set of versions, which takes some
 * minutes, or some seconds where Go's own cache has the parts.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<string | undefined>} undefined where it cannot be had, and then `print` has said why
 */
export async function ensureKubernetes(print = console.log) {
  if (existsSync(PROGRAM)) return PROGRAM;
  const go = onPath('go');
  if (go === undefined) return refuse(print, NAME, 'there is no go here');
  print(`there is no API server of Kubernetes yet: building ${VERSION} with Go, once, which may take 5 minutes ...`);
  mkdirSync(FOLDER, { recursive: true });
  // beside it, and then moved: what has the name is whole
  const scratch = `${PROGRAM}.${process.pid}`;
  const [file, ...args] = [...alone(), go, 'build', ...FLAGS, '-o', scratch, '.'];
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '' };
  const { status } = spawnSync(file, args, { cwd: SOURCE, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) return refuse(print, NAME, 'go could not build it');
  renameSync(scratch, PROGRAM);
  return PROGRAM;
}

/** Has one build at a time; the next one finds all parts in Go's cache. The lock goes with the process that has it. */
function alone() {
  const flock = onPath('flock');
  return flock === undefined ? [] : [flock, join(FOLDER, 'lock')];
}

await runAsScript(import.meta.url, ensureKubernetes);
