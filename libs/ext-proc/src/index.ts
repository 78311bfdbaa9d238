export { bodyPieces } from './body-pieces.ts';
export { readHeaders } from './header-map.ts';
export type { ReadHeaders } from './header-map.ts';
export type {
  BodyReply,
  HeaderMap,
  HeaderMutation,
  HeadersReply,
  HeaderValue,
  HeaderValueOption,
  HttpBody,
  HttpHeaders,
  HttpTrailers,
  ImmediateReply,
  Metadata,
  ProcessingRequest,
  ProcessingResponse,
  StreamedBody,
} from './messages.ts';
export { EXT_PROC_SERVICE, HEALTH_SERVICE, loadProtos } from './protos.ts';
export type { EppServices } from './protos.ts';
export { decodeStruct, encodeStruct, isList } from './struct.ts';
export type { JsonData, JsonFields, Struct, StructValue } from './struct.ts';
