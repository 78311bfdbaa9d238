import type { Parser } from './plugin.ts';

/** What bodies of JSON travel by, in the names of a Kubernetes service. */
export const HTTP_PROTOCOLS: readonly string[] = ['http', 'kubernetes.io/h2c'];

/**
 * Whether every parser can read what a pool speaks (`epp.md` 8.3).
 * @param appProtocol of the pool; undefined or empty where it does not say, which fits any
 */
export function areSpoken(parsers: readonly Pick<Parser, 'appProtocols'>[], appProtocol: string | undefined): boolean {
  if (appProtocol === undefined || appProtocol === '') return true;
  return parsers.every(({ appProtocols }) => appProtocols === undefined || appProtocols.includes(appProtocol));
}
