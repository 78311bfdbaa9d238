import { Logger } from '@nestjs/common';
import type { Endpoint } from '../endpoint.ts';
import { LineBudget } from '../line-budget.ts';

/** Lines about scrapes in each stretch, in milliseconds: hundreds of endpoints may fail at once, twenty times a second. */
const [LINES, STRETCH] = [10, 10_000];

/** Says of which endpoints nothing can be seen, and of which again. */
export class ScrapeNews {
  private readonly logger = new Logger('scrape');
  private readonly budget = new LineBudget(LINES, STRETCH);

  /** @param message what cannot be done */
  failed(error: unknown, { id }: Pick<Endpoint, 'id'>, message: string): void {
    const omitted = this.budget.take();
    if (omitted === undefined) return;
    this.logger.warn({ err: error, endpoint: id, ...(omitted > 0 && { omitted }) }, message);
  }

  recovered({ id }: Pick<Endpoint, 'id'>): void {
    const omitted = this.budget.take();
    if (omitted === undefined) return;
    this.logger.log({ endpoint: id, ...(omitted > 0 && { omitted }) }, 'an endpoint is scraped again');
  }
}
