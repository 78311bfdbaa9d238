import type { PickerParts } from '#scheduling';
import type { EppOptions } from './epp.options.ts';
import type { RunningEpp } from './start.ts';

/** What a picker says of itself when it is ready: what runs in it, and where it listens. */
export function startLine(options: EppOptions, { port, healthPort, endpoints, picker }: RunningEpp): object {
  return {
    port,
    health_port: healthPort,
    metrics_port: options.metricsPort,
    tls: options.tls !== undefined,
    tracing: options.tracing,
    verbosity: options.verbosity,
    discovery: discoveryOf(options, picker),
    endpoints: endpoints.size,
    profile_handler: picker.handler.name,
    profiles: Object.fromEntries([...picker.profiles].map(([name, profile]) => [name, profile.pluginNames])),
    parsers: picker.parsers.map(({ name }) => name),
    plugins: picker.plugins.map(({ name, type }) => (name === type ? name : `${name} (${type})`)),
  };
}

/** Where endpoints come from, by the words of the command line and the configuration. */
function discoveryOf({ endpoints, kubernetes }: EppOptions, { discovery, plugins }: PickerParts): string {
  if (discovery !== undefined) return plugins.find(({ plugin }) => plugin === discovery)?.type ?? 'plugin';
  if (endpoints !== undefined) return 'endpoints';
  if (kubernetes === undefined) return 'none';
  return kubernetes.kind === 'pool'
    ? `pool-name ${kubernetes.namespace}/${kubernetes.name}`
    : `endpoint-selector ${kubernetes.namespace} ${kubernetes.selector}`;
}
