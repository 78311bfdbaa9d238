import type { WorkerRole } from './simulator.config.ts';

/** What workers are called, in the order of their roles: `encode-1`, `decode-1`, `decode-2`. */
export function workerNames(roles: readonly WorkerRole[]): string[] {
  return roles.map((role, index) => {
    const earlier = roles.slice(0, index).filter((other) => other === role).length;
    return `${role}-${earlier + 1}`;
  });
}
