import {
  ChunkedDecode,
  EcExampleStage,
  EcNixlStage,
  EntryService,
  LocalDecode,
  MooncakeBootstrap,
  MooncakeTransfer,
  OffloadingTransfer,
  PrefixPull,
  SglangTransfer,
  SharedStorageTransfer,
  StageClient,
  TRANSFER_KEYS,
  nixlTransfer,
} from '#disaggregation';
import type {
  AllowList,
  EncodeStage,
  HostResolver,
  KvTransfer,
  NixlParts,
  RankListener,
  StageClients,
} from '#disaggregation';
import { rankDecoders } from './ranks.ts';
import type { EcConnectorName, SidecarOptions } from './sidecar.options.ts';

/** What requests are driven with beside the settings. */
export interface EntryDependencies {
  readonly clients: StageClients;
  readonly allowList: AllowList;
  readonly resolver: HostResolver;
  readonly listeners: readonly RankListener[];
}

/** The stages in the order that the settings ask for. */
export function composeEntry(options: SidecarOptions, dependencies: EntryDependencies): EntryService {
  const { clients, allowList, listeners } = dependencies;
  const stages = new StageClient(clients, options.secureStages);
  const { decodeChunkSize: size } = options;
  const chunked = size > 0 ? new ChunkedDecode(stages, size) : undefined;
  const decode = new LocalDecode(stages, rankDecoders(listeners, options.podIp), chunked);
  const pull = prefixPull(options);
  return new EntryService({
    samplesPrefillers: options.samplesPrefillers,
    allowList,
    kv: kvTransfer(options, { stages, decode, pull }, dependencies),
    pull,
    encode: options.ecConnector === undefined ? undefined : encodeStage(options.ecConnector, stages),
    decode,
  });
}

function prefixPull({ keyStyle, p2pPort, dataParallelSize, port, podIp }: SidecarOptions): PrefixPull {
  return new PrefixPull({ keys: TRANSFER_KEYS[keyStyle], p2pPort, dataParallelSize, basePort: port, podIp });
}

function kvTransfer(options: SidecarOptions, parts: NixlParts, { clients, resolver }: EntryDependencies): KvTransfer {
  const { stages, decode, pull } = parts;
  switch (options.kvConnector) {
    case 'nixlv2':
      return nixlTransfer(
        parts,
        { pulls: options.pullsPrefixes, maxRetries: options.prefillRetries, retryBackoff: options.prefillRetryBackoff },
        options.moriio,
        resolver,
      );
    case 'shared-storage':
      return new SharedStorageTransfer(stages, decode);
    case 'sglang':
      return new SglangTransfer(stages, decode, options.sglangBootstrapPort);
    case 'mooncake':
      return new MooncakeTransfer(
        stages,
        decode,
        new MooncakeBootstrap(clients.prefill, options.mooncakeBootstrapPort),
      );
    case 'offloading':
      return new OffloadingTransfer(stages, decode, pull, TRANSFER_KEYS[options.keyStyle]);
  }
}

function encodeStage(name: EcConnectorName, stages: StageClient): EncodeStage {
  return name === 'ec-nixl' ? new EcNixlStage(stages) : new EcExampleStage(stages);
}
