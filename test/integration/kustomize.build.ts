import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { ensureKustomize } from '../install/kustomize.mjs';
import { objectsIn } from './manifests.ts';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../config/kubernetes/', import.meta.url));

const kustomize = await ensureKustomize((line) => {
  process.stdout.write(`${line}\n`);
});
if (kustomize === undefined) process.stdout.write('SKIPPED: no kustomization is built, since there is no Kustomize.\n');

/** Whether there is a Kustomize. */
export const hasKustomize = kustomize !== undefined;

/** What can be applied as it is. */
export const OVERLAYS = [
  'overlays/one-picker',
  'overlays/picker-per-role',
  'overlays/queued',
  'overlays/decode-sidecar',
];

/** What a kustomization of config/kubernetes comes to. */
export async function built(path: string): Promise<readonly KubernetesObject[]> {
  const { stdout } = await run(kustomize ?? '', ['build', FOLDER + path]);
  return objectsIn(stdout);
}
