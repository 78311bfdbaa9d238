import { ConfigError } from '#config';
import { Objectives, StaticDiscovery } from '#scheduling';
import type { Discovery, EndpointStore, KubernetesObjectives, KubernetesTarget, PickerParts } from '#scheduling';
import type { EppOptions } from './epp.options.ts';

/** Makes what asks Kubernetes for endpoints. */
export type KubernetesDiscovery = (target: KubernetesTarget) => Discovery;

/** Where endpoints come from, and whether requests may be listened for before it has said any. */
export interface ChosenDiscovery {
  readonly source: Discovery;
  /** What is asked over the network may take long, and health tells how it stands; a file is there or is not. */
  readonly listensFirst: boolean;
}

/**
 * The one source of endpoints: the command line's list, the configuration's plugin, or Kubernetes.
 * @throws ConfigError when there is none, or more than one
 */
export function chosenDiscovery(
  { endpoints, kubernetes }: Pick<EppOptions, 'endpoints' | 'kubernetes'>,
  configured: PickerParts['discovery'],
  ask: KubernetesDiscovery | undefined,
): ChosenDiscovery {
  if (configured !== undefined) {
    if (endpoints !== undefined) throw unusable('--endpoints', 'cannot be used together with dataLayer.discovery');
    return { source: configured, listensFirst: false };
  }
  if (endpoints !== undefined) return { source: new StaticDiscovery(endpoints), listensFirst: false };
  if (kubernetes === undefined) {
    const others = '(or --endpoints, or dataLayer.discovery in the configuration)';
    throw unusable('--pool-name', `either pool-name or endpoint-selector must be set ${others}`);
  }
  if (ask === undefined) {
    const flag = kubernetes.kind === 'pool' ? '--pool-name' : '--endpoint-selector';
    throw unusable(flag, 'Kubernetes discovery is not available: use --endpoints, or dataLayer.discovery');
  }
  return { source: ask(kubernetes), listensFirst: true };
}

/** Starts it. Done at once where the listeners come first; what it fails with then is told to `onFailure`. */
export async function startDiscovery(
  { source, listensFirst }: ChosenDiscovery,
  endpoints: EndpointStore,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const started = source.start(endpoints);
  if (listensFirst) started.catch(onFailure);
  else await started;
}

/** Makes what asks Kubernetes for objectives. */
export type ObjectivesSource = (target: KubernetesTarget) => Pick<KubernetesObjectives, 'start' | 'close'>;

/** Priorities of the command line, and those of Kubernetes where endpoints come from there, too. They are not waited for. */
export function startObjectives(
  { objectives: given, kubernetes }: Pick<EppOptions, 'objectives' | 'kubernetes'>,
  ask: ObjectivesSource | undefined,
  onFailure: (error: unknown) => void,
): { readonly objectives: Objectives; close(): Promise<void> } {
  const objectives = new Objectives(given);
  const source = kubernetes === undefined ? undefined : ask?.(kubernetes);
  source?.start(objectives).catch(onFailure);
  return { objectives, close: () => source?.close() ?? Promise.resolve() };
}

function unusable(path: string, message: string): ConfigError {
  return new ConfigError('the command line is invalid (--help lists the flags)', [{ path, message }]);
}
