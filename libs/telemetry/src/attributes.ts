/**
 * Span attribute names. Those of OpenTelemetry's conventions are pinned to the published package by a test; the rest is ours,
 * under `llm_d.coordinator.`.
 */
export const ATTRIBUTES = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  resend: 'http.request.resend_count',
  path: 'url.path',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  requestId: 'llm_d.coordinator.request_id',
  outcome: 'llm_d.coordinator.outcome',
  phase: 'llm_d.coordinator.phase',
  stepCount: 'llm_d.coordinator.pipeline.step_count',
  executionPath: 'llm_d.coordinator.pipeline.execution_path',
  encodeIndex: 'llm_d.coordinator.encode.index',
  encodeWidth: 'llm_d.coordinator.encode.width',
  reservedEndpoint: 'llm_d.coordinator.reserved_endpoint',
  mediaType: 'llm_d.coordinator.media.type',
  mediaIndex: 'llm_d.coordinator.media.index',
  mediaBytes: 'llm_d.coordinator.media.bytes',
} as const;

/** Names above that a published convention owns. */
export const CONVENTIONAL = [
  'method',
  'route',
  'status',
  'resend',
  'path',
  'serverAddress',
  'serverPort',
  'errorType',
  'requestModel',
  'requestStream',
  'inputTokens',
  'outputTokens',
  'finishReasons',
  'firstChunk',
] as const satisfies readonly (keyof typeof ATTRIBUTES)[];
