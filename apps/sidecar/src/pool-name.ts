/** An InferencePool by name. */
export interface PoolName {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`, or a name in the namespace `default`. @returns undefined for what is neither */
export function poolName(text: string): PoolName | undefined {
  const parts = text.split('/').map((part) => part.trim());
  const [first = '', second, ...rest] = parts;
  if (rest.length > 0 || parts.includes('')) return undefined;
  return second === undefined ? { namespace: 'default', name: first } : { namespace: first, name: second };
}
