import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { Lifecycle } from '#foundation';
import { GatewayClient, GatewayModule, UPSTREAM_CALL_INTERCEPTORS, gatewayConfig } from '#gateway';
import type { GatewayConfig } from '#gateway';
import {
  NoRequestObserver,
  PIPELINE_INTERCEPTORS,
  PipelineModule,
  PipelineStep,
  RequestObserver,
  next,
  pipelineConfig,
  respond,
} from '#pipeline';
import type { PipelineConfig, PipelineRequest, Step, StepOutcome } from '#pipeline';
import { RuntimeModule, createApp, readinessConfig } from '#runtime';
import { ServerModule, serverConfig } from '#server';
import type { ServerConfig } from '#server';
import { JsonLogger } from '#telemetry';
import { FakeUpstream, RawUpstream, TcpPeer, json } from '#testing';
import type { ConnectionScript, Handler, RecordedRequest } from '#testing';

/** What the first step does with a request; undefined leaves it to the gateway. */
export type FirstStep = (request: PipelineRequest) => Promise<StepOutcome> | StepOutcome | undefined;

const noParams = z.strictObject({});

/** In the test's hands. */
@PipelineStep('first', noParams)
@Injectable()
class First implements Step<unknown> {
  static act: FirstStep = () => undefined;
  readonly execute = async (request: PipelineRequest): Promise<StepOutcome> => (await First.act(request)) ?? next();
}

/** Sends the request to the gateway as a decode does. */
@PipelineStep('ask-gateway', noParams, { answers: true })
@Injectable()
class AskGateway implements Step<unknown> {
  constructor(private readonly gateway: GatewayClient) {}

  readonly execute = async ({ scope, path, body, stream }: PipelineRequest): Promise<StepOutcome> => {
    const call = { scope, path, upstream: 'decode', step: 'decode', profile: 'decode', isBuffered: !stream } as const;
    return respond(await this.gateway.call({ ...call, body: body.toRope() }));
  };
}

/** What a test wants to be different. */
export interface ServerOptions {
  readonly gateway: string;
  readonly gatewayConfig?: Partial<GatewayConfig>;
  readonly server?: Partial<ServerConfig>;
  readonly pipeline?: Partial<PipelineConfig>;
  /** Milliseconds. */
  readonly readTimeout?: number;
  readonly first?: FirstStep;
}

/** A listener with real routes and a real pipeline of two small steps, in front of a gateway of the test. */
export class TestServer {
  /** Lines of the log. */
  static readonly lines: string[] = [];

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  static async start(options: ServerOptions): Promise<TestServer> {
    First.act = options.first ?? (() => undefined);
    TestServer.lines.length = 0;
    const logger = new JsonLogger(2, 'test', { write: (line) => void TestServer.lines.push(line) });
    const app = await createApp(moduleOf(options), { logger, readTimeout: options.readTimeout ?? 30_000 });
    await app.init();
    const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
    app.get(Lifecycle).advance('serving');
    return new TestServer(app, url);
  }

  get lifecycle(): Lifecycle {
    return this.app.get(Lifecycle);
  }

  async close(): Promise<void> {
    this.app.getHttpServer().closeAllConnections();
    await this.app.close();
  }
}

/** A server in front of a gateway, both closed behind the test. */
export async function serving(
  later: (close: () => unknown) => void,
  options: Partial<ServerOptions> = {},
  handler: Handler = (_request, response) => json(response, {}),
) {
  const gateway = await FakeUpstream.start(handler);
  later(() => gateway.close());
  const server = await TestServer.start({ gateway: gateway.url, ...options });
  later(() => server.close());
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(server.url + path, { redirect: 'manual', ...init });
  return { gateway, server, ask };
}

/** The same, where the test writes every byte of the gateway and of the client. */
export async function servingRaw(
  later: (close: () => unknown) => void,
  script: ConnectionScript,
  options: Partial<ServerOptions> = {},
) {
  const gateway = await RawUpstream.start(script);
  later(() => gateway.close());
  const server = await TestServer.start({ gateway: gateway.url, ...options });
  later(() => server.close());
  return { gateway, server, client: await TcpPeer.to(server.url) };
}

/** The values of a header, as they came in. */
export function values(request: RecordedRequest | undefined, name: string): string[] {
  const raw = request?.rawHeaders ?? [];
  return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name);
}

@Module({})
class TestModule {}

function moduleOf(options: ServerOptions): DynamicModule {
  const runtime = RuntimeModule.register({ readiness: readinessConfig.parse({}), dependencies: [] });
  const gateway = GatewayModule.register({
    config: { ...gatewayConfig.parse({ address: options.gateway }), ...options.gatewayConfig },
    interceptors: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: [] },
  });
  const pipeline = PipelineModule.register({
    config: { ...pipelineOf(), ...options.pipeline },
    interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: { pipeline: [], step: [] } },
  });
  return {
    module: TestModule,
    imports: [
      gateway,
      pipeline,
      ServerModule.register({
        config: { ...serverConfig.parse({}), ...options.server },
        imports: [pipeline, gateway, runtime],
        observer: { provide: RequestObserver, useClass: NoRequestObserver },
      }),
    ],
    providers: [First, AskGateway],
  };
}

function pipelineOf(): PipelineConfig {
  const steps = ['first', 'ask-gateway'].map((type) => ({ type }));
  const known = ['first', 'ask-gateway'].map((type) => ({ type, schema: noParams }));
  return pipelineConfig(known, { kv: z.string(), ec: z.string() }).parse({ steps });
}
