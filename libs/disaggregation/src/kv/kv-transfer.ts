import type { ClientResponse } from '#pipeline';
import type { TransferRequest } from '../disagg-request.ts';

/** How the KV cache of a remote prefill reaches the engine beside us: which calls are made, in which order, with which parameters. */
export abstract class KvTransfer {
  /** The name of `--kv-connector`. */
  abstract readonly name: string;
  /** Whether a cached prefix of another pod can be pulled (`sidecar.md` 4.8). */
  readonly canPull: boolean = false;

  /**
   * Why a request runs on the local engine alone though a prefill worker was chosen, in one word for metrics: the connector's protocol
   * has no room for it.
   */
  bypass(_request: TransferRequest): string | undefined {
    return undefined;
  }

  /**
   * Prefills remotely and decodes locally.
   * @returns the client's answer: that of the engine, or a refusal of prefill as it came
   * @throws CoordinatorError for everything else that goes wrong
   */
  abstract run(request: TransferRequest): Promise<ClientResponse>;
}
