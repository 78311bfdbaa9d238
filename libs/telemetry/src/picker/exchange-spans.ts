import { hostPort } from '#scheduling';
import type { Candidate, CycleTrace, SchedulingRequest, SchedulingResult, StageResult } from '#scheduling';
import type { Attributes } from '@opentelemetry/api';
import { ATTRIBUTES } from '../attributes.ts';
import { CycleSpans } from './cycle-spans.ts';
import { PICKER_ATTRIBUTES as NAME } from './picker-attributes.ts';
import type { PickerFacts } from './picker-facts.ts';
import type { SpanNode } from './span-node.ts';

/** The spans beneath the server span of one sampled request (`epp.md` 8.5). */
export class ExchangeSpans {
  private orchestration: SpanNode | undefined;
  private preparation: SpanNode | undefined;

  /** @param facts undefined where nothing is known of the picker */
  constructor(
    private readonly server: SpanNode,
    private readonly facts: PickerFacts | undefined,
  ) {}

  began(): void {
    this.orchestration = this.server.child('request_orchestration');
  }

  read({ targetModel, priority }: SchedulingRequest): void {
    const model = { [ATTRIBUTES.requestModel]: cut(targetModel) };
    this.server.set(model);
    this.orchestration?.set({ ...model, [NAME.priority]: priority });
  }

  cycle(candidates: number): CycleTrace {
    return new CycleSpans(this.orchestration ?? this.server, this.facts, candidates);
  }

  preparing(request: SchedulingRequest, result: SchedulingResult): void {
    const handler = this.facts?.disaggregation?.plugin;
    if (handler === undefined) return;
    this.preparation = (this.orchestration ?? this.server).child('prepare_disaggregation', {
      [ATTRIBUTES.requestModel]: cut(request.targetModel),
      [NAME.requestId]: cut(request.id),
      ...prefillAttributes(handler.stageOf('prefill', request, result)),
      ...encodeAttributes(handler.stageOf('encode', request, result)),
    });
  }

  prepared(): void {
    this.preparation?.end();
    this.preparation = undefined;
  }

  scheduled(profile: string, target: Candidate | undefined): void {
    const chosen = {
      [NAME.profile]: profile,
      ...(target !== undefined && { [NAME.endpoint]: target.endpoint.id }),
    };
    this.server.set(chosen);
    this.orchestration?.set(chosen);
    this.over();
  }

  /** The way to an endpoint ends here, unless it did before. @param code what for, where it came to nothing */
  over(code?: string): void {
    if (code !== undefined) this.orchestration?.fail(code);
    this.orchestration?.end();
    this.orchestration = undefined;
  }
}

function prefillAttributes({ targets: [target], wasWanted }: StageResult): Attributes {
  if (target === undefined) return { [NAME.prefillUsed]: false, [NAME.prefillReason]: reason('prefill', wasWanted) };
  const { address, port } = target.endpoint;
  return { [NAME.prefillUsed]: true, [NAME.prefillAddress]: address, [NAME.prefillPort]: String(port) };
}

function encodeAttributes({ targets, wasWanted }: StageResult): Attributes {
  if (targets.length === 0) return { [NAME.encodeUsed]: false, [NAME.encodeReason]: reason('encode', wasWanted) };
  return {
    [NAME.encodeUsed]: true,
    [NAME.encodeEndpoints]: targets.map(({ endpoint }) => hostPort(endpoint)).join(','),
  };
}

/** In upstream's words: nobody asked for the stage, or no pod was there for it. */
function reason(stage: 'prefill' | 'encode', wasWanted: boolean): string {
  return wasWanted ? `no_${stage}_profile_target_endpoints` : `no_${stage}_profile_result`;
}

/** Characters of what a client names; longer names are cut. */
const MAX_NAME = 256;

function cut(name: string): string {
  return name.slice(0, MAX_NAME);
}
