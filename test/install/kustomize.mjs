import { ensureGoProgram } from './go-program.mjs';
import { runAsScript } from './packages.mjs';

const KUSTOMIZE = { program: 'kustomize', version: 'v5.8.1', package: 'sigs.k8s.io/kustomize/kustomize/v5' };

/**
 * Path of a Kustomize of one version, whatever the PATH has.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<string | undefined>} undefined where it cannot be had, and then `print` has said why
 */
export async function ensureKustomize(print = console.log) {
  return ensureGoProgram(KUSTOMIZE, print);
}

await runAsScript(import.meta.url, ensureKustomize, ['version']);
