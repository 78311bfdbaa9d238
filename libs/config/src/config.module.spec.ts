import { Injectable, Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppConfigModule } from './config.module.ts';

const config = Object.freeze({
  log_level: 2,
  server: Object.freeze({ read_timeout: 30_000, names: Object.freeze(['a']) }),
});

@Injectable()
class Reader {
  constructor(readonly service: ConfigService) {}
}

@Module({ imports: [AppConfigModule.of(config)], providers: [Reader] })
class ReaderModule {}

describe('AppConfigModule', () => {
  afterEach(() => {
    delete process.env['CONFIG_SPEC_VARIABLE'];
    delete process.env['log_level'];
  });

  async function reader(): Promise<Reader> {
    const testing = await Test.createTestingModule({ imports: [ReaderModule] }).compile();
    return testing.get(Reader);
  }

  it('answers from the frozen configuration, whose parts are the same objects', async () => {
    const { service } = await reader();
    expect(service.get('server.read_timeout')).toBe(30_000);
    expect(service.get('server')).toBe(config.server);
    expect(service.get('server.names')).toBe(config.server.names);
  });

  it('knows nothing of the environment, and puts nothing into it', async () => {
    process.env['CONFIG_SPEC_VARIABLE'] = 'x';
    process.env['log_level'] = '9';
    const before = { ...process.env };
    const { service } = await reader();
    expect(service.get('CONFIG_SPEC_VARIABLE')).toBeUndefined();
    expect(service.get('log_level')).toBe(2);
    expect({ ...process.env }).toEqual(before);
  });

  it('is not global: a module that does not import it has no ConfigService', async () => {
    @Module({ providers: [Reader] })
    class Elsewhere {}
    const testing = Test.createTestingModule({ imports: [AppConfigModule.of(config), Elsewhere] });
    await expect(testing.compile()).rejects.toThrow(/ConfigService/);
  });

  it('serves two applications in one process, each its own', async () => {
    const other = await Test.createTestingModule({ imports: [AppConfigModule.of({ log_level: 5 })] }).compile();
    const { service } = await reader();
    expect([service.get('log_level'), other.get(ConfigService).get('log_level')]).toEqual([2, 5]);
  });
});
