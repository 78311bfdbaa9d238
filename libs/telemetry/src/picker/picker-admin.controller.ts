import { BadRequestException, Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { AdminGuard } from '../admin.guard.ts';
import { PICKER_VIEW } from './picker-view.ts';
import type { PickerView } from './picker-view.ts';

/** Decisions that are shown at once, and by default. */
const [MOST, USUAL] = [256, 50];

/** What an operator reads of an endpoint picker. */
@Controller('admin')
@UseGuards(AdminGuard)
export class PickerAdminController {
  constructor(@Inject(PICKER_VIEW) private readonly view: PickerView) {}

  /** Endpoints, their labels and what they last said of themselves. */
  @Get('endpoints')
  endpoints(): object {
    return { endpoints: this.view.endpoints() };
  }

  /** The last decisions: who was left behind each filter, what each scorer gave, who was picked. */
  @Get('decisions')
  decisions(@Query('count') count?: string): object {
    return { decisions: this.view.decisions(count === undefined ? USUAL : countIn(count)) };
  }
}

function countIn(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new BadRequestException(`count: expected 1 to ${MOST}`);
  return count;
}
