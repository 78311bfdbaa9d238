export type { ByteObserver, ByteSink, ByteStream } from './byte-stream.ts';
export { forwardedHeaders, valuesOf } from './forwarded-headers.ts';
export type { ForwardedHeaders } from './forwarded-headers.ts';
export {
  connectionNames,
  HEADER,
  HOP_BY_HOP,
  isInternalAnswerHeader,
  isRoutingHeader,
} from './headers.ts';
export { findMediaParts, placeOf } from './media-parts.ts';
export type { MediaPart, Modality } from './media-parts.ts';
export { FeaturesError, isReadingFault, MAX_ENTRIES, readFeatures } from './multimodal.ts';
export type { Features, MultimodalEntry } from './multimodal.ts';
export { formatOfPath, pathOf, REQUEST_FORMATS, targetFormat } from './request-format.ts';
export type { RequestFormat } from './request-format.ts';
export type { RequestScope } from './request-scope.ts';
export { refusedResponsesField } from './responses-guard.ts';
export type { ResponsesRefusal } from './responses-guard.ts';
export { SseBoundary } from './sse-boundary.ts';
export { traceContext } from './trace-context.ts';
export type { TraceContext } from './trace-context.ts';
