import type { Endpoint, EndpointLoad } from '../endpoint.ts';
import type { EndpointStore } from '../endpoint.store.ts';
import { ScrapeClient } from './scrape.client.ts';
import type { ScrapeNews } from './scrape-news.ts';
import type { ScrapeSettings } from './scrape-settings.ts';

/** Told of scrapes that came to nothing, by plugin type. */
export interface ScrapeObserver {
  /** The exposition could not be had. */
  pollFailed(source: string): void;
  /** It was there, and not everything that should be in it. */
  extractFailed(source: string, extractor: string): void;
}

/** What all loops of a scraper have in common. */
export interface ScrapeContext {
  readonly settings: ScrapeSettings;
  readonly endpoints: EndpointStore;
  readonly observer: ScrapeObserver;
  readonly news: ScrapeNews;
  /** Milliseconds from one tick to the next at present. */
  readonly pace: () => number;
}

/** Scrapes one endpoint until it is stopped. A tick is left out while the scrape of an earlier one runs. */
export class ScrapeLoop {
  private readonly client: ScrapeClient;
  private timer: NodeJS.Timeout | undefined;
  private isRunning = false;
  private isStopped = false;
  private hasFailed = false;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly context: ScrapeContext,
  ) {
    const { source, timeout } = context.settings;
    this.client = new ScrapeClient({
      origin: source.part.origin(endpoint),
      path: source.part.path,
      tls: source.part.tls,
      timeout,
    });
  }

  /** @param delay milliseconds to the first scrape */
  start(delay: number): void {
    this.timer = setTimeout(() => {
      this.start(this.context.pace());
      if (!this.isRunning) void this.scrape();
    }, delay).unref();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.client.close();
  }

  private async scrape(): Promise<void> {
    this.isRunning = true;
    try {
      const exposition = await this.client.get();
      // another endpoint may go by this name when the answer is there
      if (!this.isStopped) this.succeeded(exposition);
    } catch (error) {
      if (!this.isStopped) this.failed(error);
    } finally {
      this.isRunning = false;
    }
  }

  private succeeded(exposition: Buffer): void {
    this.read(exposition);
    if (this.hasFailed) this.context.news.recovered(this.endpoint);
    this.hasFailed = false;
  }

  private read(exposition: Buffer): void {
    const { settings, endpoints, observer } = this.context;
    // labels may have been given since
    const endpoint = endpoints.get(this.endpoint.id)?.endpoint ?? this.endpoint;
    let found: Partial<EndpointLoad> = {};
    for (const { type, part } of settings.extractors) {
      const { load, missing } = part.extract(exposition, endpoint);
      if (missing > 0) observer.extractFailed(settings.source.type, type);
      found = { ...found, ...load };
    }
    if (Object.keys(found).length > 0) endpoints.observe(endpoint, { ...found, updatedAt: performance.now() });
  }

  private failed(error: unknown): void {
    this.context.observer.pollFailed(this.context.settings.source.type);
    // once, not twenty times a second
    if (!this.hasFailed) this.context.news.failed(error, this.endpoint, 'an endpoint cannot be scraped');
    this.hasFailed = true;
  }
}
