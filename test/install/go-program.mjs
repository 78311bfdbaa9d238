import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath, refuse } from './packages.mjs';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/**
 * Path of a program that is built from Go modules once for a version, which takes some minutes, or some seconds where Go's own cache has
 * the parts.
 *
 * @param {{ program: string, version: string, package: string }} wanted
 * @param {(line: string) => void} print
 * @returns {string | undefined} undefined where it cannot be had, and then `print` has said why
 */
export function ensureGoProgram({ program, version, package: path }, print) {
  const folder = join(CACHE, `${program}-${version}`);
  const file = join(folder, program);
  if (existsSync(file)) return file;
  const go = onPath('go');
  if (go === undefined) return refuse(print, program, 'there is no go here');
  print(`there is no ${program} ${version} yet: building it with Go, once, which may take 5 minutes ...`);
  // beside it, and then moved: another process may be at it, too
  const scratch = `${folder}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false', GOBIN: scratch };
  const args = ['install', '-p=2', '-trimpath', '-ldflags=-s -w', `${path}@${version}`];
  const { status } = spawnSync(go, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0 && !existsSync(file)) renameSync(scratch, folder);
  else rmSync(scratch, { recursive: true, force: true });
  return status === 0 ? file : refuse(print, program, 'go could not build it');
}

/**
 * Folder of a Go module, which Go fetches once.
 *
 * @param {string} module as `sigs.k8s.io/gateway-api@v1.4.1`
 * @param {(line: string) => void} print
 * @returns {string | undefined} undefined where it cannot be had, and then `print` has said why
 */
export function ensureGoModule(module, print) {
  const go = onPath('go');
  if (go === undefined) return refuse(print, module, 'there is no go here');
  const env = { ...process.env, GOWORK: 'off', GOFLAGS: '' };
  const options = { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(go, ['mod', 'download', '-json', module], options);
  return status === 0 ? JSON.parse(stdout).Dir : refuse(print, module, 'go could not fetch it');
}
