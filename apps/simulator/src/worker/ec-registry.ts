import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../control/json-value.ts';

const KEPT_HASHES = 10_000;
const BYTES_PER_TOKEN = 7168;

/** Where encoder outputs lie: which hashes were encoded, and the descriptors that were given for them. */
export class EcRegistry {
  private readonly issued = new Map<string, JsonObject[]>();

  /** The descriptor of an encoded item, as `ec_transfer_params` has it under the item's hash. */
  issue(mmHash: string, placeholderTokens: number, peer: { host: string; port: number; agent: string }): JsonObject {
    const descriptor = {
      peer_host: peer.host,
      peer_port: peer.port,
      size_bytes: placeholderTokens * BYTES_PER_TOKEN,
      nixl_agent_metadata_b64: Buffer.from(peer.agent).toString('base64'),
    };
    const others = (this.issued.get(mmHash) ?? []).filter((known) => !isDeepStrictEqual(known, descriptor));
    this.issued.delete(mmHash);
    this.issued.set(mmHash, [...others, descriptor]);
    for (const oldest of this.issued.keys()) {
      if (this.issued.size <= KEPT_HASHES) break;
      this.issued.delete(oldest);
    }
    return descriptor;
  }

  isEncoded(mmHash: string): boolean {
    return this.issued.has(mmHash);
  }

  isIssued(mmHash: string, descriptor: unknown): boolean {
    return (this.issued.get(mmHash) ?? []).some((known) => isDeepStrictEqual(known, descriptor));
  }
}
