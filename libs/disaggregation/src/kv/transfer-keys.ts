/** How the members of the offloading connector's `kv_transfer_params` are called. */
export interface TransferKeys {
  /** On the prefill leg: who takes the blocks. */
  readonly decoder: string;
  /** On the decode leg: who has the blocks. */
  readonly prefiller: string;
  /** Who has a cached prefix. */
  readonly source: string;
}

/** The value of `--p2p-key-style`. */
export type KeyStyle = 'seed' | 'current';

/** Engines take no heed of names that they do not know and compute the prompt again, so the style has to be the engine's (`sidecar.md` 0). */
export const TRANSFER_KEYS: Readonly<Record<KeyStyle, TransferKeys>> = {
  seed: { decoder: 'decode', prefiller: 'prefill', source: 'p2p' },
  current: { decoder: 'remote_decoder', prefiller: 'remote_prefiller', source: 'remote_kv_source' },
};
