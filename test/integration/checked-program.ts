import { parseFlags } from '#config';
import { PLUGINS } from '#scheduling';
import { loadAsyncWorkerConfig } from '../../apps/async-worker/src/async-worker.config.ts';
import { asyncWorkerFlags } from '../../apps/async-worker/src/async-worker.flags.ts';
import { loadCoordinatorConfig } from '../../apps/coordinator/src/coordinator.config.ts';
import { coordinatorFlags } from '../../apps/coordinator/src/coordinator.flags.ts';
import { eppFlags } from '../../apps/epp/src/epp.flags.ts';
import { eppOptions } from '../../apps/epp/src/epp.options.ts';
import { checkConfiguration } from '../../apps/epp/src/start.ts';
import { readOptions } from '../../apps/sidecar/src/read-options.ts';
import { sidecarFlags } from '../../apps/sidecar/src/sidecar.flags.ts';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { TemporaryFolder } from '../e2e/support/temporary-folder.ts';
import { dataOf, only } from './manifests.ts';
import type { Container, PodSpec } from './manifests.ts';

/** What each program does with its arguments and variables before it starts. */
const PROGRAMS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  'inference-coordinator': (args) => {
    const { config } = parseFlags(coordinatorFlags, args).values;
    return loadCoordinatorConfig({ file: config, env: {}, envPrefix: 'COORDINATOR' });
  },
  'inference-endpoint-picker': (args) => {
    checkConfiguration(eppOptions(parseFlags(eppFlags, args).values), PLUGINS);
  },
  'inference-async-worker': (args) => {
    const { config } = parseFlags(asyncWorkerFlags, args).values;
    return loadAsyncWorkerConfig({ file: config, env: {}, envPrefix: 'ASYNC_WORKER' });
  },
  'inference-decode-sidecar': (args) => readOptions(parseFlags(sidecarFlags, args), {}),
};
/** What the kubelet would put in. */
const FIELDS: Readonly<Record<string, string>> = { 'metadata.namespace': 'inference', 'status.podIP': '10.0.0.1' };

/** The containers of a pod that run a program of ours, by the name of the program. */
export function programsOf({ initContainers, containers }: PodSpec): readonly (readonly [string, Container])[] {
  return [...initContainers, ...containers].flatMap((container) => {
    const program = Object.keys(PROGRAMS).find((name) => container.image.split(/[:@]/)[0]?.endsWith(`/${name}`));
    return program === undefined ? [] : [[program, container] as const];
  });
}

/**
 * Has a program check its configuration, with the files that its container would see.
 * @throws ConfigError with what is wrong
 */
export async function checkProgram(
  [program, container]: readonly [string, Container],
  { volumes }: PodSpec,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const folder = new TemporaryFolder();
  try {
    let args = container.args.map((arg) => expanded(arg, container));
    for (const { name, mountPath } of container.volumeMounts) {
      const volume = volumes.find((each) => each.name === name);
      for (const [file, text] of filesOf(volume, objects)) {
        const path = folder.write(file, text);
        args = args.map((arg) => arg.replace(`${mountPath}/${file}`, path));
      }
    }
    await PROGRAMS[program]?.(args);
  } finally {
    folder.remove();
  }
}

function filesOf(volume: Readonly<Record<string, unknown>> | undefined, objects: readonly KubernetesObject[]) {
  // Secrets and what others bring are not among the objects
  const source = volume?.['configMap'] as { name: string } | undefined;
  const isThere = objects.some(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === source?.name);
  return isThere ? Object.entries(dataOf(only(objects, 'ConfigMap', source?.name))) : [];
}

function expanded(arg: string, { env }: Container): string {
  return arg.replaceAll(/\$\((\w+)\)/g, (_, name: string) => {
    // as Kubernetes has it
    const variable = env.find((each) => each.name === name) as
      { value?: string; valueFrom?: { fieldRef: { fieldPath: string } } } | undefined;
    return variable?.value ?? FIELDS[variable?.valueFrom?.fieldRef.fieldPath ?? ''] ?? '';
  });
}
