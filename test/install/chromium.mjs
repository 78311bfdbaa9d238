import { ensureProgram, runAsScript } from './packages.mjs';

/** Path of a Chromium browser. */
export function ensureChromium() {
  return ensureProgram({ program: 'chromium', packageName: 'chromium' });
}

await runAsScript(import.meta.url, ensureChromium);
