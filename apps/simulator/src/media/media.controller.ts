import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logPlainCall } from '../control/open-exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { png } from './png.ts';

const IMAGES: Readonly<Record<string, Buffer>> = {
  'red.png': png(320, 200, [214, 48, 49]),
  'blue.png': png(200, 140, [9, 132, 227]),
};

/** Two images to put into requests. */
@Controller()
export class MediaController {
  constructor(private readonly state: SimulatorState) {}

  @Get(':name')
  image(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const bytes = IMAGES[name];
    if (bytes === undefined) throw new NotFoundException();
    logPlainCall(request, reply, 'media', 'media', this.state.requests);
    void reply.header('content-type', 'image/png').send(bytes);
  }
}
