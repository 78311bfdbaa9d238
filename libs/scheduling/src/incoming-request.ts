import type { Objectives } from './objectives.ts';
import type { ParserSelection } from './parser-selection.ts';
import { PluginFailure } from './plugin-failure.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { ParsedRequest, RequestHeaders, SchedulingRequest } from './scheduling-request.ts';

/** A request as it came, whole. */
export interface RoutedRequest {
  readonly id: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  /** Endpoints that it may go to, as `ip:port`; undefined: any. */
  readonly subset: readonly string[] | undefined;
  /** Aborted when the client has gone, so that nothing more is found out for it. */
  readonly signal?: AbortSignal;
}

/** What a request is read with. */
export interface Reading {
  readonly parsers: ParserSelection;
  readonly objectives: Objectives;
  readonly failed: (failure: PluginFailure) => void;
}

/** What a request asks for. @throws SchedulingError with BadRequest */
export async function incomingRequest(
  routed: RoutedRequest,
  { parsers, objectives, failed }: Reading,
): Promise<SchedulingRequest> {
  const { id, headers, body } = routed;
  const parsed = await parse(routed, parsers, failed);
  return {
    id,
    headers,
    parsed,
    targetModel: targetModelOf(parsed, headers),
    fairnessId: named(headers, 'inference-fairness-id') ?? 'default-flow',
    priority: objectives.priorityOf(named(headers, 'inference-objective')),
    size: body.length,
    notes: new Map(),
    metadata: new Map(),
  };
}

async function parse(
  { path, headers, body }: RoutedRequest,
  parsers: ParserSelection,
  failed: (failure: PluginFailure) => void,
): Promise<ParsedRequest> {
  try {
    return await parsers.parse(path, body, headers);
  } catch (error) {
    if (error instanceof SchedulingError) throw error;
    failed(new PluginFailure('parser', error));
    throw new SchedulingError('BadRequest', 'error parsing the request body');
  }
}

/** A body that is not read keeps its model, if it has one. */
function targetModelOf(parsed: ParsedRequest, headers: RequestHeaders): string {
  if (parsed.withModel === undefined) return parsed.model ?? '';
  const target = named(headers, 'model-name-rewrite') ?? parsed.model ?? '';
  if (target === '') throw new SchedulingError('BadRequest', 'model not found in request body');
  return target;
}

/** A control header under its name, or else the older one; an empty one counts as absent. */
function named(headers: RequestHeaders, name: string): string | undefined {
  return [headers.get(`x-llm-d-${name}`), headers.get(`x-gateway-${name}`)].find((value) => (value ?? '') !== '');
}
