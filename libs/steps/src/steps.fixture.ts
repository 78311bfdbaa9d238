import type { LoggerService, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { ConnectorsModule, ecConnectorName, kvConnectorName } from '#connectors';
import { GatewayModule, UPSTREAM_CALL_INTERCEPTORS, gatewayConfig } from '#gateway';
import { JsonValue, TokenArray } from '#json';
import { PIPELINE_INTERCEPTORS, PipelineModule, pipelineConfig, stepMetadata } from '#pipeline';
import type { ClientResponse, PipelineRequest } from '#pipeline';
import { findMediaParts, readFeatures } from '#protocol';
import { MEDIA_INTERCEPTORS } from './replace-media-urls/media.providers.ts';
import { BUILT_IN_STEPS, StepsModule } from './steps.module.ts';

/** What differs from the defaults of the sections `gateway` and `pipeline`. */
export interface StepsBenchOptions {
  readonly gateway?: object;
  readonly pipeline?: object;
}

/** For specs: the built-in steps with real clients, wired as in the coordinator. */
export class StepsBench {
  private constructor(
    private readonly module: TestingModule,
    /** Warnings and errors, as they are logged. */
    readonly complaints: readonly unknown[],
  ) {}

  /** @param address of the gateway */
  static async start(address: string, options: StepsBenchOptions = {}): Promise<StepsBench> {
    const complaints: unknown[] = [];
    const steps = BUILT_IN_STEPS.map(stepMetadata).filter((step) => step !== undefined);
    const schema = pipelineConfig(steps, { kv: kvConnectorName, ec: ecConnectorName });
    const config = schema.parse({ steps: [], ...options.pipeline });
    const gateway = GatewayModule.register({
      config: gatewayConfig.parse({ address, ...options.gateway }),
      interceptors: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: [] },
    });
    const pipeline = PipelineModule.register({
      config,
      interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: { pipeline: [], step: [] } },
    });
    const stepsModule = StepsModule.register({
      imports: [gateway, ConnectorsModule.register(config), pipeline],
      mediaInterceptors: { provide: MEDIA_INTERCEPTORS, useValue: [] },
    });
    const module = await Test.createTestingModule({ imports: [stepsModule] })
      .setLogger(listener(complaints))
      .compile();
    await module.init();
    return new StepsBench(module, complaints);
  }

  get<Instance>(type: Type<Instance>): Instance {
    return this.module.get(type);
  }

  async close(): Promise<void> {
    await this.module.close();
  }
}

/** The request with what render's answer, JSON text, says of it. */
export async function rendered(request: PipelineRequest, answer: string): Promise<PipelineRequest> {
  const value = JsonValue.read(Buffer.from(answer));
  const ids = value.member('token_ids');
  if (ids === undefined) throw new Error('an answer of render has token_ids');
  const tokens = TokenArray.scan(ids.source, ids.start);
  const features = readFeatures(value.member('features'), tokens.count);
  const mediaParts = await findMediaParts(request.body, request.format);
  return { ...request, tokens, mediaParts, ...(features === undefined ? {} : { features }) };
}

/** The whole body of an answer. */
export async function bytesOf({ body }: ClientResponse): Promise<string> {
  const chunks: Buffer[] = [];
  if ('pipe' in body) await body.pipe({ write: (chunk) => chunks.push(chunk) > 0 });
  else chunks.push(...body);
  return Buffer.concat(chunks).toString();
}

function listener(complaints: unknown[]): LoggerService {
  const ignore = (): void => undefined;
  const keep = (message: unknown): void => void complaints.push(message);
  return { log: ignore, debug: ignore, verbose: ignore, warn: keep, error: keep, fatal: keep };
}
