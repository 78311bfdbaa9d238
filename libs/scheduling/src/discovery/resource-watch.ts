import { z } from 'zod';
import { Backoff } from './backoff.ts';
import { KubeStatusError } from './kube.client.ts';
import type { KubeClient, KubeResource } from './kube.client.ts';

/** Times in milliseconds. */
export interface WatchTimes {
  /** From one full list to the next, whatever the watch says. */
  readonly resync: number;
  /** Without a byte, after which a watch counts as broken; bookmarks come about once a minute. */
  readonly idle: number;
  /** That a watch must last for its end to be no failure: servers and proxies end quiet ones after a time of their own. */
  readonly worked: number;
  readonly firstPause: number;
  readonly longestPause: number;
}

export const WATCH_TIMES: WatchTimes = {
  resync: 600_000,
  idle: 150_000,
  worked: 1_000,
  firstPause: 200,
  longestPause: 30_000,
};

/** What a watch is for. */
export interface WatchPurpose<Item> {
  readonly resource: KubeResource;
  /** @throws Error for an object that cannot be used; it counts as not there */
  readonly read: (object: unknown) => Item;
  /** All there are, by name: behind every list that was whole, and behind every event. */
  readonly changed: (items: ReadonlyMap<string, Item>) => void;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

const EXPIRED = 410;

const named = z.object({ metadata: z.object({ name: z.string(), resourceVersion: z.string().optional() }) });
const watchEvent = z.object({
  type: z.string(),
  object: z.looseObject({ code: z.number().optional(), message: z.string().optional() }),
});
const bookmark = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/**
 * Knows the objects of one kind: a full list, then what the watch says, from the version on that was seen last. When the server does not
 * have that version any more, when it reports an error, and every now and then anyway, there is a new list. As long as none succeeds,
 * what is known stays.
 */
export class ResourceWatch<Item> {
  private items = new Map<string, Item>();
  private version = '';
  private readonly backoff: Backoff;

  constructor(
    private readonly client: KubeClient,
    private readonly purpose: WatchPurpose<Item>,
    private readonly times: WatchTimes,
  ) {
    this.backoff = new Backoff(times.firstPause, times.longestPause);
  }

  /** Done when the signal aborts; nobody is told of anything from then on. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const until = performance.now() + this.times.resync;
      try {
        await this.list(signal);
        await this.follow(until, signal);
      } catch (error) {
        if (hasEnded(signal)) return;
        if (!isExpired(error)) this.purpose.failed(error);
        await this.backoff.pause(signal);
      }
    }
  }

  private async list(signal: AbortSignal): Promise<void> {
    const items = new Map<string, Item>();
    let next: string | undefined;
    do {
      const page = await this.client.list(this.purpose.resource, next, signal);
      for (const object of page.items) this.put(items, object);
      next = page.next;
      this.version = page.version;
    } while (next !== undefined);
    if (signal.aborted) return;
    this.items = items;
    this.purpose.changed(items);
  }

  /**
   * Watches, again and again, until it is time for a new list.
   * @throws KubeStatusError when the version is not there any more, or the server reports an error
   */
  private async follow(until: number, signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(Math.max(0, until - performance.now())))]);
    while (!limited.aborted) {
      const begun = performance.now();
      try {
        await this.watchOnce(limited);
        if (performance.now() - begun > this.times.worked) this.backoff.reset();
      } catch (error) {
        if (error instanceof KubeStatusError) throw error;
        if (!hasEnded(limited)) this.purpose.failed(error);
      }
      if (performance.now() - begun > this.times.longestPause) this.backoff.reset();
      await this.backoff.pause(limited);
    }
  }

  private async watchOnce(limited: AbortSignal): Promise<void> {
    const { resource, changed } = this.purpose;
    for await (const event of this.client.watch(resource, this.version, { idle: this.times.idle, signal: limited })) {
      if (limited.aborted) return;
      if (this.apply(event)) changed(this.items);
      this.backoff.reset();
    }
  }

  /** @returns whether there is something new */
  private apply(event: unknown): boolean {
    const { type, object } = watchEvent.parse(event);
    if (type === 'ERROR') throw new KubeStatusError(object.code ?? 500, this.purpose.resource.path, object.message);
    this.version = bookmark.parse(object).metadata.resourceVersion;
    if (type === 'BOOKMARK') return false;
    if (type === 'DELETED') return this.items.delete(named.parse(object).metadata.name);
    this.put(this.items, object);
    return true;
  }

  private put(items: Map<string, Item>, object: unknown): void {
    try {
      const { name } = named.parse(object).metadata;
      items.delete(name);
      items.set(name, this.purpose.read(object));
    } catch (error) {
      this.purpose.failed(error);
    }
  }
}

/** Asked again behind a wait, which the compiler does not know of. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

function isExpired(error: unknown): boolean {
  return error instanceof KubeStatusError && error.status === EXPIRED;
}
