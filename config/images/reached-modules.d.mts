export interface ReachedModules {
  readonly files: readonly string[];
  readonly packages: readonly string[];
  readonly names: ReadonlyMap<string, string>;
}

export function reachedModules(root: string, main: string): ReachedModules;
