import { Logger } from '@nestjs/common';
import { admit } from './admission.ts';
import { Candidate } from './candidate.ts';
import type { DecisionLog } from './decision-log.ts';
import { hostPort } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointStore } from './endpoint.store.ts';
import { incomingRequest } from './incoming-request.ts';
import type { RoutedRequest } from './incoming-request.ts';
import { joinedTraces } from './joined-traces.ts';
import { LineBudget } from './line-budget.ts';
import { Objectives } from './objectives.ts';
import { ParserSelection } from './parser-selection.ts';
import type { PickerParts } from './picker-config/picker-parts.ts';
import { PluginFailure } from './plugin-failure.ts';
import type { ResponseObserver, SchedulingResult, Termination } from './plugin.ts';
import { PreRequests, refusalOf } from './pre-requests.ts';
import { RESERVED } from './prefer.ts';
import { NO_ROUTE_OBSERVER } from './route.observer.ts';
import type { RouteObserver } from './route.observer.ts';
import { Scheduler } from './scheduler.service.ts';
import { NoTargetError, SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';
import { screened } from './screening.ts';
import { inSubset } from './subset.ts';
import { withinTime } from './time-limit.ts';

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
  /** The client is told the endpoint, and the request goes nowhere: no plugin has recorded it, and none is told of its end. */
  readonly isReserved: boolean;
}

/** Lines about plugins that fail in each stretch, in milliseconds: one that fails does so for every request. */
const [FAILURES, STRETCH] = [10, 10_000];
/** Characters of an id, which is the client's. */
const MAX_ID = 256;
/** Milliseconds that a producer has. */
const PRODUCE_WITHIN = 400;

/** Takes a request from its bytes to its endpoint (`epp.md` 2), and tells plugins what becomes of it. */
export class Director {
  private readonly logger = new Logger('scheduling');
  private readonly failures = new LineBudget(FAILURES, STRETCH);
  private readonly scheduler: Scheduler;
  private readonly parsers: ParserSelection;
  private readonly preRequests: PreRequests;

  constructor(
    private readonly parts: PickerParts,
    private readonly endpoints: EndpointStore,
    private readonly log?: DecisionLog,
    private readonly objectives = new Objectives(),
  ) {
    this.scheduler = new Scheduler(parts.profiles, parts.handler.plugin, (error, request) => {
      if (error instanceof PluginFailure) this.warn(error, request);
    });
    this.parsers = new ParserSelection(parts.parsers.map(({ plugin }) => plugin));
    this.preRequests = new PreRequests(parts.preRequests);
  }

  /**
   * Saturation is asked about behind the search for candidates, other than the specification lists it: an empty pool counts as full, and
   * a request that finds no endpoint at all is told so.
   * @throws SchedulingError for a request that gets no endpoint
   */
  async route(routed: RoutedRequest, watch: RouteObserver = NO_ROUTE_OBSERVER): Promise<Decision> {
    watch.began();
    const { parsers, objectives } = this;
    const request = await incomingRequest(routed, {
      parsers,
      objectives,
      failed: (failure) => this.warn(failure, routed),
    });
    watch.read(request);
    const all = this.candidates(routed.subset);
    admit(request, this.parts.saturation, all);
    const candidates = this.screen(request, all);
    await this.produce(request, candidates, routed.signal);
    const decision = decisionOf(request, this.schedule(request, candidates, watch), routed);
    if (!decision.isReserved) this.prepare(request, decision.result, watch);
    return decision;
  }

  /**
   * Any endpoint, for a request without a body.
   * @param subset endpoints that it may go to, as `ip:port`; undefined: any
   * @throws SchedulingError when there is none
   */
  any(subset?: readonly string[]): Endpoint {
    const all = this.endpoints.all();
    if (all.length === 0) throw new SchedulingError('Internal', 'no pods available in datastore');
    const allowed = subset === undefined ? all : inSubset(all, subset);
    const chosen = allowed[Math.floor(Math.random() * allowed.length)];
    if (chosen === undefined) throw noCandidates();
    return chosen.endpoint;
  }

  firstChunk({ request }: Decision): void {
    this.tell(request, (observer) => observer.firstChunk?.(request));
  }

  /** To be told once of every decision, but for reservations. */
  ended({ request }: Decision, how: Termination): void {
    this.tell(request, (observer) => observer.ended?.(request, how));
  }

  private candidates(subset: readonly string[] | undefined): readonly Candidate[] {
    const all = this.endpoints.all();
    const states = subset === undefined ? all : inSubset(all, subset);
    if (states.length === 0) throw noCandidates();
    return states.map((state) => new Candidate(state));
  }

  private screen(request: SchedulingRequest, all: readonly Candidate[]): readonly Candidate[] {
    try {
      return screened(request, all, this.parts.screeners);
    } catch (error) {
      if (error instanceof PluginFailure) this.warn(error, request);
      throw error instanceof PluginFailure ? refusalOf([error]) : error;
    }
  }

  private async produce(
    request: SchedulingRequest,
    candidates: readonly Candidate[],
    gone: AbortSignal | undefined,
  ): Promise<void> {
    for (const { name, plugin } of this.parts.producers) {
      try {
        await withinTime(plugin.timeout ?? PRODUCE_WITHIN, gone, (signal) =>
          plugin.produce(request, candidates, signal),
        );
      } catch (error) {
        this.warn(new PluginFailure(name, error), request);
      }
    }
  }

  private schedule(
    request: SchedulingRequest,
    candidates: readonly Candidate[],
    watch: RouteObserver,
  ): SchedulingResult {
    const entry = this.log?.begin(request);
    const trace = joinedTraces(entry, watch.cycle(request, candidates.length));
    let result: SchedulingResult | undefined;
    // known behind the gates: one of them may yet turn the request away
    let reserved = false;
    try {
      result = this.scheduler.schedule(request, candidates, trace);
      entry?.chosen(result);
      this.preRequests.gate(request, result);
      reserved = isReserved(request);
      if (reserved) entry?.reserved();
      return result;
    } catch (error) {
      const refusal = error instanceof SchedulingError ? error : this.untyped(error, request);
      entry?.refused(refusal);
      throw refusal;
    } finally {
      watch.cycleEnded(request, result, reserved);
    }
  }

  /** What a handler or a decider throws may quote the request, so that only the handler is named. */
  private untyped(error: unknown, request: SchedulingRequest): SchedulingError {
    const failure = error instanceof NoTargetError ? error : new PluginFailure(this.parts.handler.name, error);
    if (failure instanceof PluginFailure) this.warn(failure, request);
    return new SchedulingError('ResourceExhausted', `failed to find target endpoint: ${failure.message}`);
  }

  private prepare(request: SchedulingRequest, result: SchedulingResult, watch: RouteObserver): void {
    watch.preparing(request, result);
    try {
      this.act(request, result);
    } finally {
      watch.prepared();
    }
  }

  private act(request: SchedulingRequest, result: SchedulingResult): void {
    const failures = this.preRequests.run(request, result);
    if (failures.length === 0) return;
    for (const failure of failures) {
      if (failure instanceof PluginFailure) this.warn(failure, request);
    }
    // some have recorded the request, and nobody else will tell them that it ends here
    this.tell(request, (observer) => observer.ended?.(request, 'error'));
    throw refusalOf(failures);
  }

  /** One that throws keeps the others from nothing. */
  private tell(request: SchedulingRequest, say: (observer: ResponseObserver) => void): void {
    for (const { name, plugin } of this.parts.observers) {
      try {
        say(plugin);
      } catch (error) {
        this.warn(new PluginFailure(name, error), request);
      }
    }
  }

  private warn({ fields }: PluginFailure, { id }: { readonly id: string }): void {
    const omitted = this.failures.take();
    if (omitted === undefined) return;
    const line = { 'x-request-id': id.slice(0, MAX_ID), ...fields, ...(omitted > 0 && { omitted }) };
    this.logger.warn(line, 'a plugin failed');
  }
}

function noCandidates(): SchedulingError {
  const message = 'failed to find endpoint candidates for serving the request';
  return new SchedulingError('ServiceUnavailable', message, 'rejected-no-endpoints');
}

/** Made before anything is recorded, so that nothing has to be taken back when it cannot be. */
function decisionOf(request: SchedulingRequest, result: SchedulingResult, { body }: RoutedRequest): Decision {
  const targets = result.profiles.get(result.primary)?.targets ?? [];
  if (targets.length === 0) throw new SchedulingError('Internal', 'results must be greater than zero');
  const reserved = isReserved(request);
  const rewritten = reserved ? undefined : rewrittenBody(request);
  return {
    request,
    result,
    destination: targets.map(({ endpoint }) => hostPort(endpoint)).join(','),
    incomingModel: request.parsed.model,
    body: rewritten ?? body,
    isRewritten: rewritten !== undefined,
    isReserved: reserved,
  };
}

/** Undefined where the body goes on as it came. */
function rewrittenBody({ parsed, targetModel }: SchedulingRequest): Buffer | undefined {
  if (parsed.model === targetModel && parsed.isChanged !== true) return undefined;
  try {
    return parsed.withModel?.(targetModel);
  } catch {
    // what it throws may quote the body
    throw new SchedulingError('Internal', 'error writing the request body anew');
  }
}

function isReserved(request: SchedulingRequest): boolean {
  return RESERVED.of(request) === true;
}
