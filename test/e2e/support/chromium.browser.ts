import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const WAIT_MS = 10_000;

/** Starts a Chromium that talks to nobody by itself. @param profile an empty folder */
export async function openChromium(executablePath: string, profile: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: FLAGS,
    viewport: { width: 1200, height: 900 },
  });
  context.setDefaultTimeout(WAIT_MS);
  return context;
}
