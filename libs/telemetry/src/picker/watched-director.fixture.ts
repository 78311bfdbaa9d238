import { Director, EndpointStore, PLUGINS, buildPicker, loadPickerConfig } from '#scheduling';
import type { Decision, ExchangeObserver, PickerParts } from '#scheduling';
import { Tracing } from '../tracing.ts';
import type { SpanRecorder } from '../spans.fixture.ts';
import { PickerTelemetry } from './exchange-telemetry.ts';
import { PickerFacts } from './picker-facts.ts';
import type { PickerLog } from './picker-log.ts';
import { PickerMetrics } from './picker-metrics.ts';
import { ProducerGauges } from './producer-gauges.ts';
import { SchedulerAttempts } from './scheduler-attempts.ts';

/** Decode pods, and a prefill pod for every request that has one. */
export const DISAGGREGATED = `
- {type: decode-filter}
- {type: prefill-filter}
- {type: encode-filter}
- {type: always-disagg-pd-decider}
- {type: always-disagg-multimodal-decider}
- type: disagg-profile-handler
  parameters: {deciders: {prefill: always-disagg-pd-decider, encode: always-disagg-multimodal-decider}}
- {type: inflight-load-producer}
- {type: queue-scorer, name: by-queue}
- {type: max-score-picker}
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: by-queue, weight: 2}]}
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: encode, plugins: [{pluginRef: encode-filter}]}`;

/** The same as `ANY`, for clients that ask for an endpoint only. */
export const RESERVING = `
- {type: reserve-endpoint}
- {type: inflight-load-producer}
- {type: queue-scorer}
- {type: max-score-picker}`;

/** One profile for all that there is. */
export const ANY = `
- {type: inflight-load-producer}
- {type: queue-scorer}
- {type: max-score-picker}`;

export interface WatchedRequest {
  readonly observer: ExchangeObserver;
  /** Undefined where it was refused. */
  readonly decision: Decision | undefined;
  /** Ends it as the exchange would. */
  readonly end: () => void;
}

/** A real director of real plugins, with metrics, and spans and lines where somebody takes them. */
export class WatchedDirector {
  readonly metrics = new PickerMetrics();
  readonly endpoints = new EndpointStore();
  private readonly director: Director;
  private readonly telemetry: PickerTelemetry;
  private readonly gauges: ProducerGauges;

  constructor(plugins: string, watching: { readonly recorder?: SpanRecorder; readonly log?: PickerLog } = {}) {
    const picker = this.built(plugins);
    const facts = new PickerFacts(picker);
    this.gauges = new ProducerGauges(this.metrics, facts, this.endpoints);
    this.director = new Director(picker, this.endpoints);
    this.telemetry = new PickerTelemetry(this.metrics, new Tracing(watching.recorder?.tracer), {
      facts,
      attempts: new SchedulerAttempts(this.metrics, this.endpoints),
      ...(watching.log !== undefined && { log: watching.log }),
    });
  }

  /** Pods called after their roles: these are all there are. */
  has(...pods: readonly string[]): void {
    this.endpoints.replace(
      pods.map((name, index) => ({
        id: `ns/${name}`,
        namespace: 'ns',
        name,
        address: `10.0.0.${index + 1}`,
        port: 8000,
        labels: { 'llm-d.ai/role': name.split('-', 1)[0] ?? '' },
      })),
    );
  }

  /** Takes a request as far as the exchange does before its answer comes. */
  async route(headers: Readonly<Record<string, string>> = {}, body: object = { model: 'm' }): Promise<WatchedRequest> {
    const observer = this.telemetry.open();
    const all = new Map(Object.entries(headers));
    observer.received({ id: 'request-1', headers: all, repeated: new Set() });
    const bytes = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'SECRET-PROMPT' }], ...body }));
    const routed = { id: 'request-1', path: '/v1/chat/completions', headers: all, body: bytes, subset: undefined };
    try {
      const decision = await this.director.route(routed, observer);
      if (decision.isReserved) {
        observer.reserved(decision);
        observer.ended('natural');
        return { observer, decision, end: () => undefined };
      }
      observer.scheduled(decision);
      observer.sent();
      const end = (): void => {
        this.director.ended(decision, 'natural');
        observer.ended('natural');
      };
      return { observer, decision, end };
    } catch (error) {
      // a director throws refusals only
      observer.refused(error as Parameters<ExchangeObserver['refused']>[0]);
      observer.ended('error');
      return { observer, decision: undefined, end: () => undefined };
    }
  }

  /** The samples whose names and labels begin so, without the prefix that all have. */
  async samples(begin: string): Promise<readonly string[]> {
    this.gauges.update();
    const lines = (await this.metrics.registry.metrics()).split('\n');
    return lines
      .filter((line) => line.startsWith(`llm_d_epp_${begin}`))
      .map((line) => line.slice('llm_d_epp_'.length))
      .toSorted();
  }

  private built(plugins: string): PickerParts {
    const head =
      'apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\ndataLayer: {injectDefaults: false}\nplugins:';
    const warn = (): void => undefined;
    const config = loadPickerConfig({ text: head + plugins }, warn);
    return buildPicker(config, { classes: PLUGINS, endpoints: this.endpoints, warn });
  }
}
