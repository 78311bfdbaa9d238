import type { Rope } from '#json';
import type { TransferRequest } from '../disagg-request.ts';

/** What a leg is told beside the request itself. */
export interface LegTerms {
  /** `kv_transfer_params`. */
  readonly params: Rope;
  /** Flat; each replaces the client's header of that name. */
  readonly headers: readonly string[];
}

/** How the two legs of one request find each other. */
export interface NixlExchange {
  readonly prefill: LegTerms;
  /** @param given `kv_transfer_params` of prefill's answer, an object as it came; undefined where there is none */
  decode(given: Rope | undefined): LegTerms;
}

/** How the legs of requests find each other: who moves the blocks, and what each leg is told for it. */
export abstract class NixlTerms {
  /** @throws CoordinatorError where no terms can be had */
  abstract exchange(request: TransferRequest): Promise<NixlExchange>;
}
