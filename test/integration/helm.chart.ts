import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { environment } from '#config';
import { TemporaryFolder } from '../e2e/support/temporary-folder.ts';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { ensureHelm } from '../install/helm.mjs';
import { objectsIn } from './manifests.ts';

export type Values = Readonly<Record<string, unknown>>;

const run = promisify(execFile);
const OLDEST = '1.33.0';

export const CHART = fileURLToPath(new URL('../../config/helm/', import.meta.url));
export const NAMESPACE = 'inference';
export const RELEASE = 'llm-d';

const helm = await ensureHelm((line) => {
  process.stdout.write(`${line}\n`);
});
if (helm === undefined) process.stdout.write('SKIPPED: the chart is not rendered, since there is no Helm.\n');

/** Whether there is a Helm. */
export const hasHelm = helm !== undefined;

/** What the chart is with these values. @throws Error with what Helm says, where it refuses them */
export async function rendered(values: Values, version = OLDEST): Promise<readonly KubernetesObject[]> {
  const more = ['--namespace', NAMESPACE, '--kube-version', version];
  return objectsIn(await withHelm(['template', RELEASE, CHART, ...more], values));
}

/** What `helm lint` says. @throws Error with it, where there is anything to say but of an icon */
export function lint(values: Values): Promise<string> {
  return withHelm(['lint', '--strict', '--namespace', NAMESPACE, '--kube-version', OLDEST, CHART], values);
}

/** Installs the chart, or upgrades what is installed. @throws Error with what Helm says */
export async function installed(kubeconfig: string, values: Values): Promise<void> {
  const target = ['--namespace', NAMESPACE, '--kubeconfig', kubeconfig];
  await withHelm(['upgrade', '--install', RELEASE, CHART, ...target], values);
}

/** A YAML file of the chart. */
export function chartFile(name: string): unknown {
  return parse(readFileSync(CHART + name, 'utf8'));
}

async function withHelm(args: readonly string[], values: Values): Promise<string> {
  const folder = new TemporaryFolder();
  try {
    const file = folder.write('values.json', values);
    // what Helm remembers goes with the folder
    const env = { ...environment(), HELM_CACHE_HOME: folder.path, HOME: folder.path };
    const { stdout } = await run(helm ?? '', [...args, '--values', file], { env, maxBuffer: 64 * 2 ** 20 });
    return stdout;
  } finally {
    folder.remove();
  }
}
