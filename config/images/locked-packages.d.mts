/** An entry of `package-lock.json`, as far as it is read. */
export interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface LockedPackage {
  readonly name: string;
  readonly version: string | undefined;
  readonly broughtBy: string;
  readonly needs: readonly string[];
}

export function lockedPackages(
  lock: { readonly packages: Readonly<Record<string, LockEntry>> },
  names: readonly string[],
): ReadonlyMap<string, LockedPackage>;
