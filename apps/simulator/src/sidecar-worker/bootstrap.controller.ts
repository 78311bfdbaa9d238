import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logPlainCall } from '../control/open-exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';

/** The bootstrap server of prefill workers, as Mooncake has it: which engines there are, by rank (`sidecar.md` 4.7). */
@Controller()
export class BootstrapController {
  constructor(private readonly state: SimulatorState) {}

  @Get('query')
  query(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): object {
    logPlainCall(request, reply, 'bootstrap', 'other', this.state.requests);
    return this.state.engines.list();
  }
}
