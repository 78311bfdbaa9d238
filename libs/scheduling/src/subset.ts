import type { Endpoint } from './endpoint.ts';

/**
 * Whether an endpoint is among those that a hint names. Upstream compares addresses alone; where the hint has a port of the pod, it is that
 * port that is meant, since the picker has to choose from the list.
 */
export function inSubset({ address, port }: Pick<Endpoint, 'address' | 'port'>, subset: readonly string[]): boolean {
  return subset.some((entry) => {
    const colon = entry.lastIndexOf(':');
    const host = (colon === -1 ? entry : entry.slice(0, colon)).replace(/^\[|\]$/g, '');
    const wanted = colon === -1 ? '' : entry.slice(colon + 1);
    return host === address && (wanted === '' || wanted === String(port));
  });
}
