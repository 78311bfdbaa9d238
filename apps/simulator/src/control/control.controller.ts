import { text as readText } from 'node:stream/consumers';
import { BadRequestException, Controller, Delete, Get, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Fault } from './fault.schema.ts';
import { faultListSchema } from './fault.schema.ts';
import type { LoggedCall } from './request-log.ts';
import { SimulatorState } from './simulator-state.ts';

/** Switches and the log of the process, on every port of it. */
@Controller('simulator')
export class ControlController {
  constructor(private readonly state: SimulatorState) {}

  @Get('faults')
  faults(): Fault[] {
    return this.state.faults.list();
  }

  /** Replaces the list of faults; the body is a JSON array of them. */
  @Put('faults')
  async setFaults(@Req() request: FastifyRequest): Promise<Fault[]> {
    const parsed = faultListSchema.safeParse(await jsonOf(request));
    if (!parsed.success) throw new BadRequestException(z.prettifyError(parsed.error));
    this.state.faults.set(parsed.data);
    return this.state.faults.list();
  }

  @Delete('faults')
  clearFaults(): Fault[] {
    this.state.faults.clear();
    return [];
  }

  /** The latest calls, those of one request with `?request_id=`. Without bodies and headers. */
  @Get('requests')
  requests(@Query('request_id') requestId?: string): Omit<LoggedCall, 'body' | 'headers'>[] {
    const calls = requestId === undefined ? this.state.requests.all() : this.state.requests.of(requestId);
    return calls.map(({ body: _body, headers: _headers, ...shown }) => shown);
  }
}

/** On the gateway's port bodies are not read before a handler is called. */
async function jsonOf({ body, raw }: FastifyRequest): Promise<unknown> {
  const text = Buffer.isBuffer(body) ? body.toString() : await readText(raw);
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestException('the body is not JSON');
  }
}
