import 'reflect-metadata';
import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Lifecycle } from '#foundation';
import { JsonLogger } from '#telemetry';
import { createApp } from './create-app.ts';
import type { AppOptions } from './create-app.ts';
import type { RuntimeOptions } from './runtime.config.ts';
import { RuntimeModule } from './runtime.module.ts';

/** What a test wants to be different. */
export interface TestAppOptions extends Partial<AppOptions> {
  readonly runtime?: Partial<RuntimeOptions>;
  readonly controllers?: readonly Type[];
  readonly lines?: string[];
}

/** An app that listens, with nothing but probes and the controllers of the test. */
export class TestApp {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const logger = new JsonLogger(2, 'test', { write: (line) => void options.lines?.push(line) });
    const app = await createApp(moduleOf(options), { logger, readTimeout: 30_000, ...options });
    await app.init();
    const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
    return new TestApp(app, url);
  }

  get lifecycle(): Lifecycle {
    return this.app.get(Lifecycle, { strict: false });
  }

  async close(): Promise<void> {
    this.app.getHttpServer().closeAllConnections();
    await this.app.close();
  }
}

@Module({})
class TestAppModule {}

function moduleOf({ runtime, controllers = [] }: TestAppOptions): DynamicModule {
  const readiness = { interval: 100, require: [] };
  return {
    module: TestAppModule,
    imports: [RuntimeModule.register({ readiness, dependencies: [], ...runtime })],
    controllers: [...controllers],
  };
}
