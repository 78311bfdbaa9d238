import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { ConnectorsModule, ecConnectorName, kvConnectorName } from '#connectors';
import { GatewayModule, UPSTREAM_CALL_INTERCEPTORS, gatewayConfig } from '#gateway';
import { PIPELINE_INTERCEPTORS, PipelineModule, PipelineService, pipelineConfig, stepMetadata } from '#pipeline';
import type { ClientResponse, PipelineInterceptors, PipelineRequest } from '#pipeline';
import { BUILT_IN_STEPS, MEDIA_INTERCEPTORS, StepsModule } from '#steps';
import { FakeUpstream, json } from '#testing';
import type { Handler, RecordedRequest } from '#testing';

/** Sections of the configuration, as far as they differ from the defaults. */
export interface PipelineBenchOptions {
  /** Types in order; `render` gets the address of the bench's own. */
  readonly steps?: readonly string[];
  /** Parameters by step type. */
  readonly params?: Readonly<Record<string, object>>;
  readonly pipeline?: object;
  readonly gateway?: object;
  readonly interceptors?: Partial<PipelineInterceptors>;
}

/** An answer that arrived whole. */
export interface WholeAnswer {
  readonly status: number;
  readonly body: string;
}

const ALL = ['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill', 'decode'];

/** For specs: the pipeline as the coordinator composes it, between a gateway and a render service that record. */
export class PipelineBench {
  private constructor(
    readonly gateway: FakeUpstream,
    readonly render: FakeUpstream,
    private readonly module: TestingModule,
  ) {}

  static async start(options: PipelineBenchOptions = {}): Promise<PipelineBench> {
    const gateway = await FakeUpstream.start(missOr('{}'));
    const render = await FakeUpstream.start(answering('{"token_ids":[9,14,6,3]}'));
    const { steps = ALL, params = {}, interceptors } = options;
    const known = BUILT_IN_STEPS.map(stepMetadata).filter((step) => step !== undefined);
    const config = pipelineConfig(known, { kv: kvConnectorName, ec: ecConnectorName }).parse({
      ...options.pipeline,
      steps: steps.map((type) => ({
        type,
        params: { ...(type === 'render' ? { address: render.url } : {}), ...params[type] },
      })),
    });
    const gatewayModule = GatewayModule.register({
      config: gatewayConfig.parse({ address: gateway.url, ...options.gateway }),
      interceptors: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: [] },
    });
    const pipeline = PipelineModule.register({
      config,
      interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: { pipeline: [], step: [], ...interceptors } },
    });
    const stepsModule = StepsModule.register({
      imports: [gatewayModule, ConnectorsModule.register(config), pipeline],
      mediaInterceptors: { provide: MEDIA_INTERCEPTORS, useValue: [] },
    });
    const module = await Test.createTestingModule({ imports: [stepsModule, pipeline] }).compile();
    await module.init();
    return new PipelineBench(gateway, render, module);
  }

  /** Runs the request to the last byte of its answer. */
  async run(request: PipelineRequest): Promise<WholeAnswer> {
    const response = await this.module.get(PipelineService).run(request);
    return { status: response.status, body: await whole(response) };
  }

  /** Profiles of the calls to the gateway so far, in order of arrival; the probe is `probe`, a reservation `reserve-endpoint`. */
  get phases(): readonly string[] {
    return this.gateway.requests.map(phaseOf);
  }

  /** Bodies of the gateway's calls of one phase. */
  bodies(phase: string): readonly string[] {
    return this.gateway.requests.filter((call) => phaseOf(call) === phase).map(({ body }) => body.toString());
  }

  async close(): Promise<void> {
    await this.module.close();
    await this.gateway.close();
    await this.render.close();
  }
}

/** The phase that a call to the gateway is of. */
export function phaseOf({ headers }: RecordedRequest): string {
  if (headers['prefer'] === undefined) return String(headers['epp-profile']);
  return headers['prefer'] === 'reserve-endpoint' ? headers['prefer'] : 'probe';
}

/** Answers with that JSON text. */
export function answering(text: string, status = 200): Handler {
  return (_, response) => {
    json(response, text, status);
  };
}

/** 412 for a probe, and else what the phase's text says. */
export function missOr(fallback: string, byPhase: Readonly<Record<string, string>> = {}): Handler {
  return (request, response) => {
    const phase = phaseOf(request);
    if (phase === 'probe' && byPhase['probe'] === undefined) json(response, '{}', 412);
    else json(response, byPhase[phase] ?? fallback);
  };
}

async function whole({ body }: ClientResponse): Promise<string> {
  const chunks: Buffer[] = [];
  if ('pipe' in body) await body.pipe({ write: (chunk) => chunks.push(chunk) > 0 });
  else chunks.push(...body);
  return Buffer.concat(chunks).toString();
}
