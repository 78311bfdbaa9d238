import { ensureProgram, runAsScript } from './packages.mjs';

/** Path of the Prometheus server. */
export function ensurePrometheus() {
  return ensureProgram({ program: 'prometheus', packageName: 'prometheus' });
}

/** Path of promtool, which comes with the server. */
export function ensurePromtool() {
  return ensureProgram({ program: 'promtool', packageName: 'prometheus' });
}

await runAsScript(import.meta.url, ensurePrometheus);
