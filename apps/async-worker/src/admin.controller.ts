import {
  BadRequestException,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpException,
  HttpStatus,
  Inject,
  NotFoundException,
  Param,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { BrokerError, QueueFigures } from '#broker';
import { DISPATCH_CONFIG, DeadLetters } from '#dispatch';
import type { DispatchConfig } from '#dispatch';
import { AdminGuard } from '#telemetry';
import { QueueView } from '#telemetry/broker';

/** Dead letters of one queue that are shown at once, and by default. */
const [MOST, USUAL] = [1_000, 100];
/** Seconds to the deadline of a dead letter that is sent again. */
const AGAIN = 3_600;

/** What an operator reads of the queues, and does with what was given up. */
@Controller('admin')
@UseGuards(AdminGuard)
export class AdminController {
  constructor(
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    private readonly figures: QueueFigures,
    private readonly letters: DeadLetters,
  ) {}

  /** How the queues stand, as Redis has them now. */
  @Get('queues')
  async queues(): Promise<object> {
    return { queues: await new QueueView(this.figures, this.config.queues).list() };
  }

  /** The last dead letters, of all queues or of one, the latest first. */
  @Get('dead-letters')
  async deadLetters(@Query('queue') queue?: string, @Query('count') count?: string): Promise<object> {
    const limit = count === undefined ? USUAL : countIn(count);
    if (queue !== undefined && !this.config.queues.includes(queue)) throw new NotFoundException('no such queue');
    return asked(async () => {
      const lists = await Promise.all(
        (queue === undefined ? this.config.queues : [queue]).map(async (name) => {
          const found = await this.figures.deadLetters(name, limit);
          return found.map((letter) => ({ queue: name, ...letter }));
        }),
      );
      return { dead_letters: lists.flat().sort((one, other) => other.at - one.at) };
    });
  }

  /** Sends a dead letter again, as if it was queued anew. */
  @Post('dead-letters/:receipt/requeue')
  @HttpCode(HttpStatus.OK)
  async requeue(@Param('receipt') receipt: string): Promise<object> {
    switch (await asked(() => this.letters.requeue(receipt, AGAIN))) {
      case 'queued':
        return { receipt, status: 'queued', deadline_seconds: AGAIN };
      case 'unknown':
        throw new NotFoundException('no such dead letter');
      case 'taken':
        throw new HttpException('its id is that of a later request', HttpStatus.CONFLICT);
      case 'invalid':
        throw new HttpException('no worker can read it', HttpStatus.CONFLICT);
    }
  }

  @Delete('dead-letters/:receipt')
  @HttpCode(HttpStatus.NO_CONTENT)
  async discard(@Param('receipt') receipt: string): Promise<void> {
    if (!(await asked(() => this.letters.discard(receipt)))) throw new NotFoundException('no such dead letter');
  }
}

/** @throws HttpException 503 while Redis cannot be asked */
async function asked<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    throw new HttpException(error.message, HttpStatus.SERVICE_UNAVAILABLE);
  }
}

function countIn(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new BadRequestException(`count: expected 1 to ${MOST}`);
  return count;
}
