import type { ATTRIBUTES } from './attributes.ts';

/** A kind of span as data: what it is called, when there is one, and which attributes it may have. */
export interface SpanSpec {
  /** As traces have it; what stands in angle brackets differs from span to span. */
  readonly name: string;
  readonly kind: 'SERVER' | 'INTERNAL' | 'CLIENT';
  readonly when: string;
  readonly attributes: readonly (keyof typeof ATTRIBUTES)[];
}

/** Of every call, whomever it goes to. */
const CALL = ['phase', 'method', 'path', 'serverAddress', 'serverPort', 'resend', 'status', 'errorType'] as const;
/** Of the call whose answer the client gets. */
const ANSWER = ['requestModel', 'requestStream', 'inputTokens', 'outputTokens', 'finishReasons', 'firstChunk'] as const;

/** Every span there is, from the outside in. The interceptors make them; docs are made of it, and a test compares both. */
export const SPANS = [
  {
    name: '<method> <route>',
    kind: 'SERVER',
    when: 'Each request but the probes of health, from its request line to its last byte. The method alone where a path is passed through.',
    attributes: ['method', 'route', 'path', 'requestId', 'requestModel', 'status', 'outcome', 'errorType'],
  },
  {
    name: 'pipeline',
    kind: 'INTERNAL',
    when: 'The way of an inference request through all its steps.',
    attributes: ['requestModel', 'stepCount', 'executionPath', 'errorType'],
  },
  {
    name: '<step>',
    kind: 'INTERNAL',
    when: 'Each step that was begun, by its type. One that had nothing to do has a span too, of no length.',
    attributes: ['errorType'],
  },
  {
    name: 'media',
    kind: 'CLIENT',
    when: 'Each media download.',
    attributes: [
      'phase',
      'status',
      'serverAddress',
      'serverPort',
      'path',
      'mediaType',
      'mediaIndex',
      'mediaBytes',
      'errorType',
    ],
  },
  {
    name: 'enqueue',
    kind: 'CLIENT',
    when: 'A request is put on a queue. What the async processor does for it has this span for its parent.',
    attributes: ['phase', 'errorType'],
  },
  {
    name: 'lookup',
    kind: 'CLIENT',
    when: 'A queued request is looked for by its id.',
    attributes: ['phase', 'errorType'],
  },
  {
    name: 'cancel',
    kind: 'CLIENT',
    when: 'A queued request is given up, by a client that deletes it or that has left.',
    attributes: ['phase', 'errorType'],
  },
  { name: 'render', kind: 'CLIENT', when: 'Each try of the call to render.', attributes: CALL },
  {
    name: 'conditional-decode',
    kind: 'CLIENT',
    when: 'Each try of the probe. A 412 is no error; of a probe that is served this is the span of the answer.',
    attributes: [...CALL, ...ANSWER],
  },
  {
    name: 'encode',
    kind: 'CLIENT',
    when: 'Each try of each item that is encoded.',
    attributes: [...CALL, 'encodeIndex', 'encodeWidth'],
  },
  {
    name: 'reserve-endpoint',
    kind: 'CLIENT',
    when: 'Each try of asking the endpoint picker which worker prefill will go to. The spans `prefill` and `decode` that follow it in one step run beside each other.',
    attributes: [...CALL, 'reservedEndpoint'],
  },
  { name: 'prefill', kind: 'CLIENT', when: 'Each try of prefill.', attributes: CALL },
  {
    name: 'decode',
    kind: 'CLIENT',
    when: 'Each try of decode, to the last byte of the answer.',
    attributes: [...CALL, ...ANSWER],
  },
  {
    name: 'passthrough',
    kind: 'CLIENT',
    when: 'The call to the gateway for a path that is passed through.',
    attributes: CALL,
  },
] as const satisfies readonly SpanSpec[];
