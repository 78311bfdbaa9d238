import type { ServerResponse } from 'node:http';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ADMIN_SOURCES } from './admin.sources.ts';
import type { AdminSources } from './admin.sources.ts';
import { CONTENT_TYPES, expose, negotiate } from './exposition.ts';

/** `/metrics`, in the format that the scraper asks for. Open to whoever reaches the listener, as scrapers have no token. */
@Controller()
export class MetricsController {
  constructor(@Inject(ADMIN_SOURCES) private readonly sources: AdminSources) {}

  @Get('metrics')
  async metrics(
    @Headers('accept') accept: string | undefined,
    @Res() reply: { hijack(): void; readonly raw: ServerResponse },
  ): Promise<void> {
    reply.hijack();
    const startedAt = performance.now();
    const { metrics } = this.sources;
    const format = negotiate(accept);
    reply.raw.writeHead(200, { 'content-type': CONTENT_TYPES[format] });
    for await (const piece of expose(metrics.registry, metrics.exemplars, format)) {
      if (reply.raw.destroyed) return;
      if (!reply.raw.write(piece)) await drained(reply.raw);
    }
    reply.raw.end();
    metrics.on.scrapeDuration.observe([], (performance.now() - startedAt) / 1000);
  }
}

/** Done when the response takes more, or its connection is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
