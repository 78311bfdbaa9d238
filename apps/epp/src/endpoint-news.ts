import { Logger } from '@nestjs/common';
import type { Endpoint, EndpointListener, EndpointStore } from '#scheduling';
import type { EppInside } from './start.ts';

/** Milliseconds in which changes are gathered for one line. */
const GATHERED = 1_000;
/** Endpoints that a line names; it counts the others. */
const NAMED = 20;

/** Says which endpoints come and go, in at most one line a second. @param gathered milliseconds from a change to its line */
export function endpointNews(gathered = GATHERED) {
  return ({ endpoints }: Pick<EppInside, 'endpoints'>): { close(): void } => {
    const news = new EndpointNews(endpoints, gathered);
    endpoints.listen(news);
    return {
      close: () => {
        news.close();
      },
    };
  };
}

class EndpointNews implements EndpointListener {
  private readonly logger = new Logger('endpoints');
  private came: Endpoint[] = [];
  private went: Endpoint[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly endpoints: Pick<EndpointStore, 'size'>,
    private readonly gathered: number,
  ) {}

  added(endpoint: Endpoint): void {
    this.came.push(endpoint);
    this.tellSoon();
  }

  removed(endpoint: Endpoint): void {
    this.went.push(endpoint);
    this.tellSoon();
  }

  /** What has not been said is said. */
  close(): void {
    if (this.timer !== undefined) this.tell();
  }

  private tellSoon(): void {
    this.timer ??= setTimeout(() => {
      this.tell();
    }, this.gathered).unref();
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { came, went } = this;
    this.came = [];
    this.went = [];
    const fields = {
      endpoints: this.endpoints.size,
      added: came.length,
      removed: went.length,
      ...named('added_endpoints', came),
      ...named('removed_endpoints', went),
    };
    this.logger.log(fields, 'endpoints have changed');
  }
}

function named(field: string, endpoints: readonly Endpoint[]): Readonly<Record<string, readonly string[]>> {
  return endpoints.length === 0 ? {} : { [field]: endpoints.slice(0, NAMED).map(({ id }) => id) };
}
