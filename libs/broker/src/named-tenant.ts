import { valuesOf } from '#protocol';
import { tenantProblem } from './broker-keys.ts';

/** What a tenant is when the client names none. */
const DEFAULT_TENANT = 'default';

/** A tenant, and why it cannot be one. */
export interface NamedTenant {
  readonly tenant: string;
  readonly problem: string | undefined;
}

/** The tenant that a request names. @param headers flat, lower-case @param name of the tenant's header, likewise */
export function namedTenant(headers: readonly string[], name: string): NamedTenant {
  const named = valuesOf(headers, name)[0] ?? '';
  const tenant = named === '' ? DEFAULT_TENANT : named;
  return { tenant, problem: tenantProblem(tenant) };
}
