/** Characters of a tenant, of a queue and of a quota's prefix. */
const MAX_NAME = 256;

const MAILBOX = 'results:req:';
const ACTIVE = 'request-active:';
const CANCEL = 'request-cancel:';
/** How all keys begin that the async worker keeps for itself. */
export const WORKER = 'async-worker:';
const OWN = [MAILBOX, ACTIVE, CANCEL, WORKER] as const;

/** The keys of one request, and its name at the async processor. */
export interface RequestKeys {
  /** As clients know it. */
  readonly id: string;
  readonly tenant: string;
  /** `data.id` of the envelope, which the async processor makes its own keys of. */
  readonly wireId: string;
  /** List with the one result. */
  readonly mailbox: string;
  /** Token of the submission; there as long as the request is pending. */
  readonly active: string;
  /** Token of the submission that is given up. */
  readonly cancel: string;
}

/**
 * The only maker of keys. In a cluster the hash tag of the queues stands before the tenant, in `data.id` too, so that the keys
 * that the async processor makes are the same.
 * @see coordinator.md C.9, "Redis keys and message formats"
 */
export class BrokerKeys {
  private readonly start: string;

  constructor(
    private readonly quotaStart: string,
    /** Hash tag of every queue, where the keys are spread over a cluster. */
    tag?: string,
  ) {
    this.start = tag === undefined ? '' : `{${tag}}:`;
  }

  /** @throws RangeError for a tenant or an id that was not checked */
  of(tenant: string, id: string): RequestKeys {
    if (tenantProblem(tenant) !== undefined || !isRequestId(id)) throw new RangeError('tenant or id was not checked');
    const wireId = `${this.start}${tenant}:${id}`;
    return { id, tenant, wireId, mailbox: MAILBOX + wireId, active: ACTIVE + wireId, cancel: CANCEL + wireId };
  }

  /** Those of the request that an envelope calls so in `data.id`; undefined where that is the name of none. */
  ofWireId(wireId: string): RequestKeys | undefined {
    const colon = wireId.indexOf(':', this.start.length);
    if (!wireId.startsWith(this.start) || colon < 0) return undefined;
    const tenant = wireId.slice(this.start.length, colon);
    const id = wireId.slice(colon + 1);
    return tenantProblem(tenant) === undefined && isRequestId(id) ? this.of(tenant, id) : undefined;
  }

  /** The counter of a tenant's requests in flight. @throws RangeError for a tenant that was not checked */
  quota(tenant: string): string {
    if (tenantProblem(tenant) !== undefined) throw new RangeError('tenant was not checked');
    return this.quotaStart + tenant;
  }
}

/** Whether it is an id that a request can have (`coordinator.md` A.4). */
export function isRequestId(text: string): boolean {
  return /^[a-zA-Z0-9-]{1,128}$/.test(text);
}

/**
 * Why a tenant cannot be part of a key; undefined for one that can. A colon would end it, braces would move the key to another
 * node of a cluster, and bytes beyond ASCII have no single spelling in a header.
 */
export function tenantProblem(tenant: string): string | undefined {
  if (tenant.length === 0 || tenant.length > MAX_NAME) return `tenant must have 1 to ${MAX_NAME} characters`;
  if (tenant.includes(':')) return 'tenant must not contain ":"';
  if (/[{}]/.test(tenant)) return 'tenant must not contain "{" or "}"';
  return /^[\x20-\x7e]+$/.test(tenant) ? undefined : 'tenant must consist of printable ASCII characters';
}

/**
 * Why a key cannot be that of a queue; undefined for one that can.
 * @param counters how the keys of quotas begin, for those who count any
 */
export function queueProblem(queue: string, counters?: string): string | undefined {
  if (counters !== undefined && queue.startsWith(counters)) return 'is where quotas are counted';
  return nameProblem(queue) ?? (isOwn(queue) ? 'is where results and marks of requests are kept' : undefined);
}

/** Why counters cannot have keys of that beginning; undefined where they can. */
export function quotaProblem(prefix: string, attribute: string): string | undefined {
  const start = quotaStart(prefix, attribute);
  return nameProblem(start) ?? (isOwn(start) ? 'is where results and marks of requests are kept' : undefined);
}

/** How the key of every counter begins. */
export function quotaStart(prefix: string, attribute: string): string {
  return `${prefix}${attribute}:`;
}

/** The part of a key that decides its slot, where it is not the whole key. */
export function hashTag(key: string): string | undefined {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : undefined;
}

function nameProblem(name: string): string | undefined {
  if (name.length === 0 || name.length > MAX_NAME) return `must have 1 to ${MAX_NAME} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'must not have control characters' : undefined;
}

/** Whether the key is one of ours, or all keys that begin so can be. */
function isOwn(key: string): boolean {
  return OWN.some((own) => key.startsWith(own));
}
