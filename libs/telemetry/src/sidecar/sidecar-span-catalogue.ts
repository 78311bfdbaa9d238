import type { ATTRIBUTES } from '../attributes.ts';
import type { SIDECAR_ATTRIBUTES } from './sidecar-attributes.ts';

/** A kind of span of the decode sidecar as data; what stands in angle brackets differs from span to span. */
export interface SidecarSpanSpec {
  readonly name: string;
  /** Name of the span that it stands beneath; undefined for the outermost. */
  readonly parent: string | undefined;
  readonly when: string;
  readonly attributes: readonly (keyof typeof ATTRIBUTES | keyof typeof SIDECAR_ATTRIBUTES)[];
}

const SERVER = 'llm_d.pd_proxy.<METHOD> <path>';
const REQUEST = ['method', 'path', 'serverAddress', 'serverPort', 'resend', 'status', 'errorType'] as const;
const CALL = ['stage', ...REQUEST] as const;

/** Every span of the decode sidecar, from the outside in (`sidecar.md` 12). Docs are made of it, and a test compares both. */
export const SIDECAR_SPANS = [
  {
    name: SERVER,
    parent: undefined,
    when: 'Each request, beneath the trace that it came with. What is passed through has no path in its name, and begins no trace.',
    attributes: [
      ...(['method', 'route', 'status', 'errorType', 'requestId', 'rank', 'outcome', 'duration'] as const),
      ...(['apiType', 'kvConnector', 'ecConnector', 'disaggregationUsed', 'disaggType', 'reason', 'trueTtft'] as const),
      ...([
        'prefillTarget',
        'prefillCandidates',
        'deniedTarget',
        'kvCacheSource',
        'isSourceDenied',
        'isConcurrent',
      ] as const),
      ...(['prefillRetries', 'cachedTokens', 'encoderCandidates', 'encoderAllowed', 'encodeItems'] as const),
      ...(['decodeTarget', 'isDataParallel', 'chunkSize', 'chunks', 'totalTokens'] as const),
    ],
  },
  {
    name: 'encode',
    parent: SERVER,
    when: 'Each media item that an encode worker is sent.',
    attributes: [...CALL, 'encodeIndex', 'encodeWidth'],
  },
  {
    name: 'bootstrap',
    parent: SERVER,
    when: 'With `mooncake`: the prefill worker is asked for its engines, unless they are known.',
    attributes: CALL,
  },
  { name: 'prefill', parent: SERVER, when: 'Each try of a remote prefill.', attributes: CALL },
  {
    name: 'decode',
    parent: SERVER,
    when: 'Each call of the engine beside, a chunk of chunked decode as well.',
    attributes: CALL,
  },
  { name: 'passthrough', parent: SERVER, when: 'Each call of what is passed through.', attributes: REQUEST },
] as const satisfies readonly SidecarSpanSpec[];
