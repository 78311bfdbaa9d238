import type { ServerResponse } from 'node:http';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ADMIN_VIEW } from './admin-view.ts';
import type { AdminView } from './admin-view.ts';
import { CONTENT_TYPES, negotiate } from './exposition.ts';

/** `/metrics`, in the format that the scraper asks for. Open to whoever reaches the listener, as scrapers have no token. */
@Controller()
export class MetricsController {
  constructor(@Inject(ADMIN_VIEW) private readonly view: Pick<AdminView, 'metrics'>) {}

  @Get('metrics')
  async metrics(
    @Headers('accept') accept: string | undefined,
    @Res() reply: { hijack(): void; readonly raw: ServerResponse },
  ): Promise<void> {
    reply.hijack();
    const format = negotiate(accept);
    reply.raw.writeHead(200, { 'content-type': CONTENT_TYPES[format] });
    for await (const piece of this.view.metrics(format)) {
      if (reply.raw.destroyed) return;
      if (!reply.raw.write(piece)) await drained(reply.raw);
    }
    reply.raw.end();
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
