export { AllowList, EveryHost } from './allow-list.ts';
export { apiTypeOf, DISAGGREGATED_PATHS } from './api-type.ts';
export type { ApiType } from './api-type.ts';
export { ChunkedDecode } from './decode/chunked-decode.ts';
export { LocalDecode } from './decode/local-decode.ts';
export type { RankDecoders } from './decode/local-decode.ts';
export { disaggErrorResponse } from './disagg-error-response.ts';
export { DisaggObserver, NoDisaggObserver } from './disagg.observer.ts';
export type {
  DisaggArrival,
  DisaggFacts,
  DisaggType,
  DisaggWatch,
  Stage,
  StageEnd,
  StageWatch,
} from './disagg.observer.ts';
export type { DisaggRequest, InboundBody, OutboundBody, RankListener } from './disagg-request.ts';
export { EcExampleStage } from './ec/ec-example.stage.ts';
export { EcNixlStage } from './ec/ec-nixl.stage.ts';
export { EncodeStage } from './ec/encode-stage.ts';
export type { Encoded } from './ec/encode-stage.ts';
export { EntryService } from './entry.service.ts';
export type { EntryParts } from './entry.service.ts';
export { KvTransfer } from './kv/kv-transfer.ts';
export { HostResolver } from './kv/moriio/host.resolver.ts';
export type { ResolverEvent, ResolverSettings } from './kv/moriio/host.resolver.ts';
export { checkMoriio } from './kv/moriio/moriio.settings.ts';
export type { MoriioSettings } from './kv/moriio/moriio.settings.ts';
export { nixlTransfer } from './kv/nixl.choice.ts';
export { NixlTransfer } from './kv/nixl.transfer.ts';
export type { NixlParts, NixlSettings } from './kv/nixl.transfer.ts';
export { MooncakeBootstrap } from './kv/mooncake-bootstrap.ts';
export { MooncakeTransfer } from './kv/mooncake.transfer.ts';
export { PrefixPull } from './kv/prefix-pull.ts';
export type { PullSettings } from './kv/prefix-pull.ts';
export { OffloadingTransfer } from './kv/offloading.transfer.ts';
export { SglangTransfer } from './kv/sglang.transfer.ts';
export { SharedStorageTransfer } from './kv/shared-storage.transfer.ts';
export { TRANSFER_KEYS } from './kv/transfer-keys.ts';
export type { KeyStyle, TransferKeys } from './kv/transfer-keys.ts';
export { routingHints } from './routing-hints.ts';
export type { RoutingHints } from './routing-hints.ts';
export { StageClient } from './stage.client.ts';
export type { Leg, StageClients, WholeAnswer } from './stage.client.ts';
