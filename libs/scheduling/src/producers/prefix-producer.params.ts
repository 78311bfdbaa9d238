import { z } from 'zod';

/** Tokens of a block where nobody says. */
const BLOCK_SIZE = 16;
const MIN_BLOCK_SIZE = 64;
const MAX_TOKENS = 131_072;
const MAX_BLOCKS = 2048;
const CAPACITY = 31_250;

/**
 * What a prefix scorer takes as well, where no producer is configured. None has a default here: some mean something else when they are
 * given with the value of their default.
 */
export const prefixProducerShape = {
  autoTune: z.boolean().optional().describe('Take block size and number of blocks that workers report (true).'),
  blockSizeTokens: z.int().optional().describe(`Tokens of a block (${BLOCK_SIZE}).`),
  blockSize: z.int().optional().describe('The old name of blockSizeTokens.'),
  maxPrefixTokensToMatch: z
    .int()
    .min(0)
    .optional()
    .describe(`Tokens of a prompt that are looked at (${MAX_TOKENS}); 0: see the next.`),
  maxPrefixBlocksToMatch: z
    .int()
    .min(0)
    .optional()
    .describe(`Blocks of a prompt that are looked at where tokens are not limited (${MAX_BLOCKS}); 0: all.`),
  lruCapacityPerServer: z.int().optional().describe(`Blocks that an endpoint is taken to hold (${CAPACITY}).`),
  minBlockSizeTokens: z
    .int()
    .min(0)
    .optional()
    .describe(`Least tokens of a block that was not set by hand (${MIN_BLOCK_SIZE}); 0: any.`),
};

/** Parameters of `approx-prefix-cache-producer` (`epp.md` 5.3). */
export const prefixProducerParams = z
  .strictObject({
    ...prefixProducerShape,
    prefillProfileName: z.string().min(1).default('prefill').describe('The profile that chooses a prefill worker.'),
  })
  .refine((params) => params.autoTune !== false || writtenBlockSize(params) > 0, {
    path: ['blockSizeTokens'],
    error: 'has to be above 0 where autoTune is false',
  })
  .prefault({});

export type PrefixProducerParams = z.output<typeof prefixProducerParams>;

/** What the parameters come to. */
export interface PrefixSettings {
  readonly autoTune: boolean;
  /** Tokens of a block, 1 or more, where no worker reports it or is asked. */
  readonly blockSize: number;
  /** Tokens that a block has at least. */
  readonly minBlockSize: number;
  /** Blocks of a prompt that are looked at, by the tokens of a block. */
  readonly maxBlocks: (blockSize: number) => number;
  /** Blocks, 1 or more, where no worker reports it or is asked. */
  readonly capacity: number;
}

export function prefixSettings(params: PrefixProducerParams): PrefixSettings {
  const { autoTune = true, lruCapacityPerServer: capacity = 0, minBlockSizeTokens = MIN_BLOCK_SIZE } = params;
  const written = writtenBlockSize(params);
  const isByHand = !autoTune && (params.blockSizeTokens ?? params.blockSize) !== undefined;
  return {
    autoTune,
    blockSize: written > 0 ? written : BLOCK_SIZE,
    minBlockSize: isByHand ? 1 : minBlockSizeTokens,
    maxBlocks: blockLimit(params),
    capacity: capacity > 0 ? capacity : CAPACITY,
  };
}

interface WrittenSize {
  readonly blockSizeTokens?: number | undefined;
  readonly blockSize?: number | undefined;
}

/** The old name counts where the new one has its default. */
function writtenBlockSize({ blockSizeTokens = BLOCK_SIZE, blockSize }: WrittenSize): number {
  return blockSizeTokens === BLOCK_SIZE ? (blockSize ?? BLOCK_SIZE) : blockSizeTokens;
}

/** Blocks that are limited by hand win over tokens that are so by default. */
function blockLimit(params: PrefixProducerParams): PrefixSettings['maxBlocks'] {
  const { maxPrefixBlocksToMatch: blocks, maxPrefixTokensToMatch } = params;
  const tokens = maxPrefixTokensToMatch ?? (blocks === undefined ? MAX_TOKENS : 0);
  if (tokens > 0) return (blockSize) => Math.floor(tokens / blockSize);
  const limit = blocks ?? MAX_BLOCKS;
  return () => (limit === 0 ? Infinity : limit);
}
