import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../control/json-value.ts';
import { openExchange, readBody } from '../control/open-exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { WireError } from '../control/wire-error.ts';
import { processorKwargs } from './processor-kwargs.ts';
import { renderChat, renderResponses, renderText } from './render-prompt.ts';
import { featuresOf } from './rendered-prompt.ts';
import type { PlacedItem, RenderedPrompt } from './rendered-prompt.ts';

/** The render service: a prompt in, token ids and processor output out. */
@Controller()
export class RenderController {
  constructor(private readonly state: SimulatorState) {}

  @Post('v1/chat/completions/render')
  chat(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(request, reply, renderChat, (prompt) => this.answer(prompt));
  }

  /** The answer is a list, since vLLM's takes batches. */
  @Post('v1/completions/render')
  completions(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(request, reply, textPrompt, (prompt) => [this.answer(prompt)]);
  }

  @Post('v1/responses/render')
  responses(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(request, reply, renderResponses, (prompt) => this.answer(prompt));
  }

  @Get('health')
  health(): string {
    return '';
  }

  private async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (body: JsonObject) => RenderedPrompt,
    answer: (prompt: RenderedPrompt) => unknown,
  ): Promise<void> {
    const exchange = openExchange(request, reply, 'render', 'render', this.state);
    await exchange.run(async () => {
      const prompt = render(readBody(exchange, this.state));
      Object.assign(exchange.call.facts, { tokens: prompt.tokenIds.length, media: prompt.items.length });
      await exchange.pause(this.state.config.timing.render_ms);
      await exchange.json(200, answer(prompt));
    });
  }

  private answer({ tokenIds, items }: RenderedPrompt): JsonObject {
    const features = featuresOf(items);
    if (features === undefined) return { token_ids: tokenIds, features: null };
    const bytes = this.state.config.render?.kwargs_bytes;
    return { token_ids: tokenIds, features: { ...features, kwargs_data: kwargsByModality(items, bytes) } };
  }
}

function kwargsByModality(items: readonly PlacedItem[], bytes: number | undefined): JsonObject {
  const byModality = Map.groupBy(items, (item) => item.modality);
  return Object.fromEntries(
    [...byModality].map(([modality, placed]) => [modality, placed.map((item) => processorKwargs(item, bytes))]),
  );
}

function textPrompt(body: JsonObject): RenderedPrompt {
  if (typeof body['prompt'] !== 'string') throw new WireError('prompt must be a string');
  return renderText(body['prompt']);
}
