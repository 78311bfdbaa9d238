export { AsyncBrokerStep } from './async-broker/async-broker.step.ts';
export { kvConnectorProblems, kvConnectorWarning } from './kv-connector.rules.ts';
export type { RawKvConnectors } from './kv-connector.rules.ts';
export { MEDIA_INTERCEPTORS } from './replace-media-urls/media.providers.ts';
export type { MediaInterceptor } from './replace-media-urls/media.providers.ts';
export type { MediaCall, MediaDownload } from './replace-media-urls/media-downloader.ts';
export { BUILT_IN_STEPS, StepsModule } from './steps.module.ts';
export type { StepsModuleOptions } from './steps.module.ts';
export { WireFormatPolicy } from './wire-format.policy.ts';
