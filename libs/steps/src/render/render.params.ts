import { z } from 'zod';
import { baseUrl, duration, integer } from '#config';

export const renderParams = z
  .strictObject({
    address: baseUrl().describe('Base URL of the render service.'),
    timeout: duration('30s').describe('Time for the whole call.'),
    max_idle_conns_per_host: integer({ min: 0, max: 65_536 })
      .default(100)
      .describe('Idle connections to the render service kept open for reuse.'),
    max_total_tokens: integer({ min: 0 }).default(0).describe('Tokens a prompt may have. 0: no limit.'),
    max_total_placeholder_tokens: integer({ min: 0 })
      .default(0)
      .describe('Tokens that all multimodal items of a prompt may stand for. 0: no limit.'),
  })
  .describe('Tokenize once, for every later call.');

export type RenderParams = z.output<typeof renderParams>;
