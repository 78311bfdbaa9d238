import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Candidate } from './candidate.ts';
import { hostPort } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointStore } from './endpoint.store.ts';
import { ParserSelection } from './parser-selection.ts';
import type { PickerParts } from './picker-config/picker-parts.ts';
import type { SchedulingResult, Termination } from './plugin.ts';
import { GATED, NO_GATE, prefersIfAvailable } from './prefer.ts';
import { Scheduler } from './scheduler.service.ts';
import type { CycleTrace } from './scheduler.service.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { RequestHeaders, SchedulingRequest } from './scheduling-request.ts';
import { inSubset } from './subset.ts';

/** A request as it came, whole. */
export interface RoutedRequest {
  readonly id: string;
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  /** Endpoints that it may go to, as `ip:port`; undefined: any. */
  readonly subset: readonly string[] | undefined;
}

/** Where a request goes. */
export interface Decision {
  readonly request: SchedulingRequest;
  readonly result: SchedulingResult;
  /** `ip:port`, several of them by comma, the best one first. */
  readonly destination: string;
  readonly incomingModel: string | undefined;
  /** The body to send, and whether it is another one than came. */
  readonly body: Buffer;
  readonly isRewritten: boolean;
}

/** Milliseconds that a producer has. */
const PRODUCE_WITHIN = 400;
/** Below this priority a request may be shed. */
const SHEDDABLE = 0;

/** Takes a request from its bytes to its endpoint (`epp.md` 2), and tells plugins what becomes of it. */
export class Director {
  private readonly logger = new Logger('scheduling');
  private readonly scheduler: Scheduler;
  private readonly parsers: ParserSelection;

  constructor(
    private readonly parts: PickerParts,
    private readonly endpoints: EndpointStore,
  ) {
    this.scheduler = new Scheduler(parts.profiles, parts.handler.plugin);
    this.parsers = new ParserSelection(parts.parsers.map(({ plugin }) => plugin));
  }

  /** @throws SchedulingError for a request that gets no endpoint */
  async route(routed: RoutedRequest, trace?: CycleTrace): Promise<Decision> {
    const request = await this.requestOf(routed);
    const candidates = this.candidates(routed.subset);
    this.admit(request, candidates);
    await this.produce(request, candidates);
    const result = this.scheduler.schedule(request, candidates, trace);
    this.prepare(request, result);
    return decisionOf(request, result, routed);
  }

  /** Any endpoint, for a request without a body. @throws SchedulingError when there is none */
  any(): Endpoint {
    const all = this.endpoints.all();
    const chosen = all[Math.floor(Math.random() * all.length)];
    if (chosen === undefined) throw new SchedulingError('Internal', 'no pods available in datastore');
    return chosen.endpoint;
  }

  firstChunk({ request }: Decision): void {
    for (const { plugin } of this.parts.observers) plugin.firstChunk?.(request);
  }

  /** To be told once of every decision. */
  ended({ request }: Decision, how: Termination): void {
    for (const { plugin } of this.parts.observers) plugin.ended?.(request, how);
  }

  private async requestOf({ id, path, headers, body }: RoutedRequest): Promise<SchedulingRequest> {
    const parsed = await this.parsers.parse(path, body, headers);
    const rewrite = headers.get('x-llm-d-model-name-rewrite') ?? headers.get('x-gateway-model-name-rewrite');
    const targetModel = parsed.withModel === undefined ? (parsed.model ?? '') : (rewrite ?? parsed.model ?? '');
    if (parsed.withModel !== undefined && targetModel === '') {
      throw new SchedulingError('BadRequest', 'model not found in request body');
    }
    const fairnessId = headers.get('x-llm-d-inference-fairness-id') ?? headers.get('x-gateway-inference-fairness-id');
    return {
      id,
      headers,
      parsed,
      targetModel,
      fairnessId: fairnessId ?? 'default-flow',
      priority: 0,
      size: body.length,
      notes: new Map(),
    };
  }

  private candidates(subset: readonly string[] | undefined): readonly Candidate[] {
    const states = this.endpoints.all().filter(({ endpoint }) => subset === undefined || inSubset(endpoint, subset));
    if (states.length > 0) return states.map((state) => new Candidate(state));
    const message = 'failed to find endpoint candidates for serving the request';
    throw new SchedulingError('ServiceUnavailable', message, 'rejected-no-endpoints');
  }

  private admit({ priority }: SchedulingRequest, candidates: readonly Candidate[]): void {
    if (priority >= SHEDDABLE || this.parts.saturation.saturation(candidates) < 1) return;
    const message = 'system saturated, sheddable request dropped';
    throw new SchedulingError('ResourceExhausted', message, 'rejected-saturated');
  }

  private async produce(request: SchedulingRequest, candidates: readonly Candidate[]): Promise<void> {
    for (const { name, plugin } of this.parts.producers) {
      try {
        const made = plugin.produce(request, candidates);
        if (made !== undefined) await within(made, plugin.timeout ?? PRODUCE_WITHIN);
      } catch (error) {
        if (error instanceof SchedulingError) throw error;
        this.logger.warn({ err: error, plugin: name }, 'a producer failed, the request goes on without it');
      }
    }
  }

  private prepare(request: SchedulingRequest, result: SchedulingResult): void {
    const { preRequests } = this.parts;
    for (const { plugin } of preRequests) {
      if (plugin.stage === 'gate') plugin.before(request, result);
    }
    if (prefersIfAvailable(request.headers.get('prefer')) && !request.notes.has(GATED)) {
      throw new SchedulingError('PreconditionFailed', NO_GATE);
    }
    for (const { plugin } of preRequests) {
      if (plugin.stage !== 'gate') plugin.before(request, result);
    }
  }
}

/** @throws Error when the promise takes longer */
async function within(made: Promise<void>, ms: number): Promise<void> {
  const limit = new AbortController();
  const late = delay(ms, undefined, { signal: limit.signal, ref: false }).then(() => {
    throw new Error(`it took longer than ${ms} ms`);
  });
  try {
    await Promise.race([made, late]);
  } finally {
    limit.abort();
    late.catch(() => undefined);
  }
}

function decisionOf(request: SchedulingRequest, result: SchedulingResult, { body }: RoutedRequest): Decision {
  const targets = result.profiles.get(result.primary)?.targets ?? [];
  const { parsed, targetModel } = request;
  const rewritten = parsed.model === targetModel ? undefined : parsed.withModel?.(targetModel);
  return {
    request,
    result,
    destination: targets.map(({ endpoint }) => hostPort(endpoint)).join(','),
    incomingModel: parsed.model,
    body: rewritten ?? body,
    isRewritten: rewritten !== undefined,
  };
}
