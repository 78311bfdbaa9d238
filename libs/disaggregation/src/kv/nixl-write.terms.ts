import { NixlKvConnector } from '#connectors';
import { JsonObject, joinRope, rawJson } from '#json';
import type { Rope } from '#json';
import type { TransferRequest } from '../disagg-request.ts';
import { newTransfer, rankHeader, returnedRank } from './moriio/dp-rank.ts';
import type { Transfer } from './moriio/dp-rank.ts';
import type { HostResolver } from './moriio/host.resolver.ts';
import type { MoriioSettings } from './moriio/moriio.settings.ts';
import { decodeParams, parallelDecodeParams, prefillMembers, withMembers } from './moriio/write-params.ts';
import type { WriteHosts } from './moriio/write-params.ts';
import { NixlTerms } from './nixl.terms.ts';
import type { LegTerms, NixlExchange } from './nixl.terms.ts';

const NULL = rawJson('null');

/** Prefill writes the blocks to the engine beside us, which it is told (`sidecar.md` 4.3, 4.4). */
export class NixlWriteTerms extends NixlTerms {
  private readonly connector = new NixlKvConnector();

  constructor(
    private readonly settings: MoriioSettings,
    private readonly resolver: HostResolver,
  ) {
    super();
  }

  /** Decode waits for what prefill says; where that is nothing, it computes the prompt. */
  async exchange({ scope }: TransferRequest): Promise<NixlExchange> {
    const { settings } = this;
    const hosts = await this.hosts(scope.signal);
    const transfer = newTransfer(settings.dpSize);
    return {
      prefill: this.prefill(transfer, hosts),
      decode: (given) => decodeTerms(given, transfer, hosts, settings),
    };
  }

  /** Both legs are told the same at once. */
  async parallel({ scope, prefiller }: TransferRequest): Promise<{ prefill: LegTerms; decode: LegTerms }> {
    const { settings } = this;
    const hosts = await this.hosts(scope.signal);
    const transfer = newTransfer(settings.dpSize);
    const params = parallelDecodeParams(prefiller.host, transfer, hosts, settings);
    return {
      prefill: this.prefill(transfer, hosts),
      decode: { params, headers: rankHeader(transfer.rank, settings.dpSize) },
    };
  }

  private prefill(transfer: Transfer, hosts: WriteHosts): LegTerms {
    const members = prefillMembers(transfer, hosts, this.settings);
    return {
      params: withMembers(this.connector.forPrefill(), members),
      headers: rankHeader(transfer.rank, this.settings.dpSize),
    };
  }

  private async hosts(signal: AbortSignal): Promise<WriteHosts> {
    const { podIp = '', decodeHosts, remoteHosts } = this.settings;
    const [local, decode, prefill] = await Promise.all([
      this.resolver.addressOf(podIp, signal),
      this.resolver.addressesOf(decodeHosts, signal),
      this.resolver.addressesOf(remoteHosts, signal),
    ]);
    return { local, decode, prefill };
  }
}

function decodeTerms(given: Rope | undefined, asked: Transfer, hosts: WriteHosts, settings: MoriioSettings): LegTerms {
  const params = given === undefined ? undefined : JsonObject.of(joinRope(given));
  const rank = returnedRank(params, settings.dpSize, asked.rank);
  const headers = rankHeader(rank, settings.dpSize);
  if (params === undefined) return { params: NULL, headers };
  return { params: decodeParams(params, { ...asked, rank }, hosts, settings), headers };
}
