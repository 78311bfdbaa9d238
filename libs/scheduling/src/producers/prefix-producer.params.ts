import { z } from 'zod';

/** Parameters of `approx-prefix-cache-producer` (`epp.md` 5.3). A prefix scorer takes them, too, where no producer is configured. */
export const prefixProducerParams = z.strictObject({
  autoTune: z.boolean().default(true).describe('Take the block size and the number of blocks that workers report.'),
  blockSizeTokens: z.int().default(16).describe('Tokens of a block.'),
  blockSize: z.int().optional().describe('The old name of blockSizeTokens.'),
  maxPrefixTokensToMatch: z
    .int()
    .min(0)
    .default(131_072)
    .describe('Tokens of a prompt that are looked at; 0: see the next.'),
  maxPrefixBlocksToMatch: z
    .int()
    .default(2048)
    .describe('Blocks of a prompt that are looked at where tokens are not said; 0: all.'),
  lruCapacityPerServer: z.int().default(31_250).describe('Blocks that an endpoint is taken to hold.'),
  minBlockSizeTokens: z.int().min(0).default(64).describe('Least tokens of a block that was not set by hand; 0: any.'),
});

export type PrefixProducerParams = z.output<typeof prefixProducerParams>;
