import { existsSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { fileURLToPath } from 'node:url';
import { childrenOf, isListening } from './process-tree.ts';
import { ProgramProcess } from './program.process.ts';

/** What `npm run build` leaves of an app. @throws Error when there is no build */
export function builtApp(app: string): readonly string[] {
  const main = fileURLToPath(new URL(`../../../dist/apps/${app}/main.js`, import.meta.url));
  if (!existsSync(main)) throw new Error(`${main} is not there: run "npm run build" before the e2e tests`);
  return [process.execPath, main];
}

/** The built coordinator. */
export class CoordinatorProcess extends ProgramProcess {
  /** @throws Error when there is no build */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    super('the coordinator', [...builtApp('coordinator'), ...args], env);
  }

  /** Waits for `/readyz` to be 200. @throws Error with the output, when it ends first or takes longer than 30 s */
  async ready(url: string): Promise<void> {
    await this.until(async () => (await statusOf(`${url}/readyz`)) === 200 && this.isOn(url));
  }

  /** Another program may have been faster on the port. */
  private isOn(url: string): boolean {
    return isListening(Number(new URL(url).port), [this.pid, ...childrenOf(this.pid)]);
  }
}

/** The status of a GET, whatever the certificate; undefined without an answer. */
export function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const signal = AbortSignal.timeout(1000);
    get(url, { agent: false, signal, rejectUnauthorized: false }, (response) => {
      resolve(response.resume().statusCode);
    }).once('error', () => {
      resolve(undefined);
    });
  });
}
