import { z } from 'zod';

/** Parameters of `inflight-load-producer` (`epp.md` 5.6). */
export const inFlightParams = z
  .strictObject({
    addEstimatedOutputTokens: z.boolean().default(false).describe('Count the tokens of the answer as well.'),
    outputRatio: z.number().min(0).default(1.5).describe('Tokens of an answer, as a multiple of those of its prompt.'),
    maxEstimatedOutputTokens: z.int().min(0).optional().describe('Most tokens that an answer counts as.'),
    prefixMatchInfoProducerName: z.string().default(''),
    prefillProfileName: z.string().min(1).default('prefill').describe('The profile that is done with the first bytes.'),
    syncCrossReplicaState: z.boolean().default(true).describe('Has no effect: there is one replica.'),
  })
  .prefault({});

export type InFlightParams = z.output<typeof inFlightParams>;
