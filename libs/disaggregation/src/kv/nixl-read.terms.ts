import { NixlKvConnector } from '#connectors';
import { rawJson } from '#json';
import { newTransfer, rankHeader } from './moriio/dp-rank.ts';
import { NixlTerms } from './nixl.terms.ts';
import type { NixlExchange } from './nixl.terms.ts';

const NULL = rawJson('null');

/** Decode reads the blocks from the worker that prefill's parameters name; they go on as they came (`sidecar.md` 4.2). */
export class NixlReadTerms extends NixlTerms {
  private readonly connector = new NixlKvConnector();

  /** @param dpSize ranks of a prefill worker, of which a request is given to one */
  constructor(private readonly dpSize = 1) {
    super();
  }

  exchange(): Promise<NixlExchange> {
    const { rank } = newTransfer(this.dpSize);
    return Promise.resolve({
      prefill: { params: this.connector.forPrefill(), headers: rankHeader(rank, this.dpSize) },
      decode: (given) => ({ params: given ?? NULL, headers: [] }),
    });
  }
}
