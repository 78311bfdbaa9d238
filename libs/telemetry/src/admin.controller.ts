import {
  BadRequestException,
  Controller,
  Get,
  Header,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { AdminGuard } from './admin.guard.ts';
import { ADMIN_VIEW } from './admin-view.ts';
import type { AdminView, RequestLists } from './admin-view.ts';
import { KEPT_REQUESTS } from './flight-recorder.ts';

/** Bytes of a body that are read: a level fits in far less. */
const MAX_BODY = 4_096;

/** What an operator reads and turns while the process runs. */
@Controller('admin')
@UseGuards(AdminGuard)
export class AdminController {
  constructor(@Inject(ADMIN_VIEW) private readonly view: AdminView) {}

  /**
   * Requests in flight and the last ones that finished, the latest first.
   * @param timelines lists so many of each with their timelines, instead of all with a line each
   */
  @Get('requests')
  requests(@Query('timelines') timelines?: string): RequestLists | Promise<RequestLists> {
    return this.view.requests(timelines === undefined ? undefined : countIn(timelines));
  }

  /** The timelines of the requests with that id. */
  @Get('requests/:id')
  async request(@Param('id') id: string): Promise<object> {
    const requests = await this.view.find(id);
    if (requests.length === 0)
      throw new NotFoundException(`no such request among those in flight and the last ${KEPT_REQUESTS}`);
    return { requests };
  }

  /** The effective configuration, secrets removed. */
  @Get('config')
  @Header('content-type', 'application/yaml; charset=utf-8')
  config(): string {
    return this.view.effectiveConfig;
  }

  @Get('pipeline')
  pipeline(): object | Promise<object> {
    return this.view.pipeline();
  }

  /** How the queues of the async broker stand, as Redis has them now. */
  @Get('queues')
  async queues(): Promise<object> {
    const queues = await this.view.queues();
    if (queues === undefined) throw new NotFoundException('the pipeline has no step async-broker');
    return { queues };
  }

  /** What the page shows beside the requests. */
  @Get('status')
  status(): Promise<object> {
    return this.view.status();
  }

  /** `{"level": 1…5}` */
  @Put('log-level')
  async logLevel(@Req() request: { readonly raw: AsyncIterable<Buffer> }): Promise<object> {
    const level = levelIn(await textOf(request.raw));
    await this.view.setLogLevel(level);
    return { level };
  }

  /** Turns readiness off; requests are served on. */
  @Post('drain')
  @HttpCode(200)
  async drain(): Promise<object> {
    return { phase: await this.view.drain() };
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (text.length > MAX_BODY) throw new BadRequestException('the body is too large');
  }
  return text;
}

function countIn(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > KEPT_REQUESTS) throw new BadRequestException(`timelines: expected 1 to ${KEPT_REQUESTS}`);
  return count;
}

function levelIn(text: string): number {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const level = typeof body === 'object' && body !== null && 'level' in body ? body.level : undefined;
  if (typeof level !== 'number' || !Number.isInteger(level) || level < 1 || level > 5) {
    throw new BadRequestException('expected {"level": 1} to {"level": 5}');
  }
  return level;
}
