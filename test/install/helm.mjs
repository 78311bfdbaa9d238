import { ensureGoProgram } from './go-program.mjs';
import { runAsScript } from './packages.mjs';

const HELM = { program: 'helm', version: 'v4.3.1', package: 'helm.sh/helm/v4/cmd/helm' };

/**
 * Path of a Helm of one version, whatever the PATH has.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<string | undefined>} undefined where it cannot be had, and then `print` has said why
 */
export async function ensureHelm(print = console.log) {
  return ensureGoProgram(HELM, print);
}

await runAsScript(import.meta.url, ensureHelm, ['version']);
