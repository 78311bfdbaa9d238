import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';

/**
 * Makes Nest's `ConfigService` answer from the configuration that was loaded and frozen at start, and from nothing
 * else: no `.env` file, no `process.env`.
 */
@Module({})
export class AppConfigModule {
  static of(config: Readonly<Record<string, unknown>>): DynamicModule {
    return {
      module: AppConfigModule,
      imports: [
        ConfigModule.forRoot({
          load: [() => config],
          ignoreEnvFile: true,
          validatePredefined: false,
          skipProcessEnv: true,
          isGlobal: false,
        }),
      ],
      exports: [ConfigModule],
    };
  }
}
