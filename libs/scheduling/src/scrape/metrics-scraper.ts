import type { Endpoint } from '../endpoint.ts';
import type { EndpointStore } from '../endpoint.store.ts';
import { ScrapeLoop } from './scrape-loop.ts';
import type { ScrapeContext, ScrapeObserver } from './scrape-loop.ts';
import { ScrapeNews } from './scrape-news.ts';
import type { ScrapeSettings } from './scrape-settings.ts';

/** Milliseconds from one scrape to the next, over all endpoints: one of 60 KB takes about 75 µs, and requests come first. */
const LEAST_GAP = 0.5;
/** Golden ratio: first scrapes spread over the interval, however many there are. */
const SPREAD = 0.618;

/**
 * Keeps the load of every endpoint up to date: a loop for each, from when it comes until it goes. With more than a hundred endpoints at
 * 50 ms the interval grows with their number (500: 250 ms), so that scraping leaves most of the event loop to requests.
 */
export class MetricsScraper {
  private readonly loops = new Map<string, ScrapeLoop>();
  private readonly closing = new Set<Promise<void>>();
  private readonly context: ScrapeContext;
  private begun = 0;
  private isClosed = false;

  constructor(settings: ScrapeSettings, endpoints: EndpointStore, observer: ScrapeObserver) {
    const pace = (): number => Math.max(settings.interval, this.loops.size * LEAST_GAP);
    this.context = { settings, endpoints, observer, pace, news: new ScrapeNews() };
  }

  start(): void {
    this.context.endpoints.listen({
      added: (endpoint) => this.added(endpoint),
      removed: (endpoint) => this.removed(endpoint),
    });
  }

  /** Done when every connection is closed. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const id of [...this.loops.keys()]) this.removed({ id });
    await Promise.all(this.closing);
  }

  private added(endpoint: Endpoint): void {
    if (this.isClosed) return;
    const loop = this.loopOf(endpoint);
    if (loop === undefined) return;
    this.loops.set(endpoint.id, loop);
    loop.start(((this.begun++ * SPREAD) % 1) * this.context.pace());
  }

  /** One address that nothing can be asked at must not keep the store from telling of the others. */
  private loopOf(endpoint: Endpoint): ScrapeLoop | undefined {
    try {
      return new ScrapeLoop(endpoint, this.context);
    } catch (error) {
      this.context.observer.pollFailed(this.context.settings.source.type);
      this.context.news.failed(error, endpoint, 'an endpoint cannot be scraped at its address');
      return undefined;
    }
  }

  private removed({ id }: Pick<Endpoint, 'id'>): void {
    const stopped = this.loops.get(id)?.stop();
    this.loops.delete(id);
    if (stopped === undefined) return;
    this.closing.add(stopped);
    void stopped.finally(() => this.closing.delete(stopped));
  }
}
