import { hostPort } from '#protocol';
import type { HostPort } from '#protocol';
import type { FakeUpstream, Handler } from '#testing';
import { ChunkedDecode } from '../decode/chunked-decode.ts';
import { LocalDecode } from '../decode/local-decode.ts';
import { DisaggBench, answering, targetOf } from '../disagg.fixture.ts';
import type { Exchange, Received, Sent } from '../disagg.fixture.ts';
import type { KvTransfer } from './kv-transfer.ts';
import { HostResolver } from './moriio/host.resolver.ts';
import type { MoriioSettings } from './moriio/moriio.settings.ts';
import { nixlTransfer } from './nixl.choice.ts';
import type { NixlSettings } from './nixl.transfer.ts';
import { PrefixPull } from './prefix-pull.ts';
import { TRANSFER_KEYS } from './transfer-keys.ts';

/** `kv_transfer_params` as a prefill worker gives them, with what a parser would change. */
export const PARAMS =
  '{"remote_block_ids": [[1, 2], [3]], "remote_engine_id":"e\\u0031", "remote_host":"10.0.0.7", "remote_port": 5600, ' +
  '"remote_num_tokens": 9223372036854775807, "x_future": {"z": 1.0, "a": 2, "z": 3}}';

/** A prefill answer with those parameters. */
export const PREFILLED = `{"choices":[{"finish_reason":"length"}],"kv_transfer_params":${PARAMS},"usage":{"prompt_tokens":9}}`;

/** Without MoRI-IO. */
export const NO_MORIIO: MoriioSettings = {
  writeMode: false,
  parallelDispatch: false,
  decodeWaitTimeout: 30_000,
  podIp: undefined,
  decodeNotifyPort: 61_005,
  prefillNotifyPort: 61_005,
  decodeHandshakePort: 6301,
  prefillHandshakePort: 6301,
  tpSize: 1,
  dpSize: 1,
  dpSizeLocal: 0,
  remoteHosts: [],
  decodeHosts: [],
};

/** What a test wants to be different. */
export interface NixlOptions {
  readonly settings?: Partial<NixlSettings>;
  readonly moriio?: Partial<MoriioSettings>;
  readonly prefill?: Handler;
  readonly engine?: Handler;
  /** `--decode-chunk-size`. */
  readonly chunkSize?: number;
  /** Answer of the engine of rank 1, known as `10.0.0.1:8001`. */
  readonly rankOne?: string;
}

/** For specs: the nixlv2 connector with a prefill worker and an engine. */
export class NixlBench {
  private constructor(
    private readonly bench: DisaggBench,
    readonly prefiller: FakeUpstream,
    readonly transfer: KvTransfer,
  ) {}

  static async start(options: NixlOptions = {}): Promise<NixlBench> {
    const { settings, moriio, prefill, engine } = options;
    const bench = await DisaggBench.start(engine);
    const decode = await localDecode(bench, options);
    const pull = new PrefixPull({
      keys: TRANSFER_KEYS.seed,
      p2pPort: 7777,
      dataParallelSize: 1,
      basePort: 8000,
      podIp: undefined,
    });
    const transfer = nixlTransfer(
      { stages: bench.stages, decode, pull },
      { maxRetries: 0, retryBackoff: 1, pulls: false, ...settings },
      { ...NO_MORIIO, ...moriio },
      new HostResolver({ ttl: 30_000, timeout: 5_000 }),
    );
    return new NixlBench(bench, await bench.worker(prefill ?? answering(PREFILLED)), transfer);
  }

  get engine(): FakeUpstream {
    return this.bench.engine;
  }

  exchange(sent: Sent): Exchange {
    return this.bench.exchange(sent);
  }

  /** The client's answer. @param to where it is not the bench's own prefill worker */
  async received(exchange: Exchange, source?: string, to: HostPort = targetOf(this.prefiller)): Promise<Received> {
    const pulled = source === undefined ? undefined : hostPort(source);
    return exchange.received(this.transfer.run(await exchange.transfer(to, pulled)));
  }

  run(sent: Sent, source?: string): Promise<Received> {
    return this.received(this.exchange(sent), source);
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

async function localDecode(bench: DisaggBench, { chunkSize, rankOne }: NixlOptions): Promise<LocalDecode> {
  const ranks = new Map<string, string>();
  if (rankOne !== undefined) ranks.set('10.0.0.1:8001', (await bench.worker(answering(rankOne))).url);
  return new LocalDecode(
    bench.stages,
    ranks,
    chunkSize === undefined ? undefined : new ChunkedDecode(bench.stages, chunkSize),
  );
}
