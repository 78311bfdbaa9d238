import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ServerCredentials } from '@grpc/grpc-js';
import { Lifecycle } from '#foundation';
import { Drain } from './drain.ts';
import { SILENT } from './epp.fixture.ts';
import { GrpcListener } from './grpc-listener.ts';

let lines: (readonly [fields: unknown, message: unknown])[];
beforeEach(() => {
  lines = [];
  const keep = (fields: unknown, message: unknown): void => void lines.push([fields, message]);
  Logger.overrideLogger({ ...SILENT, log: keep, warn: keep });
});

function listener(): Promise<GrpcListener> {
  return GrpcListener.open({ port: 0, services: [], credentials: ServerCredentials.createInsecure() });
}

describe('Drain', () => {
  it('says how it goes on: what is in flight, while it serves on and while it waits', async () => {
    const lifecycle = new Lifecycle();
    lifecycle.advance('serving');
    const running = { breakOff: () => lifecycle.end(running) };
    lifecycle.begin(running);
    const parts = { main: await listener(), health: await listener(), closeRest: () => Promise.resolve() };
    await new Drain(lifecycle, { drainTimeout: 50, shutdownTimeout: 60 }, parts, 1).run('SIGTERM');
    const messages = lines.map(([, message]) => message);
    expect(lines[0]).toEqual([{ signal: 'SIGTERM', in_flight: 1, serves_on_ms: 50 }, 'draining']);
    expect(lines).toContainEqual([expect.objectContaining({ in_flight: 1, phase: 'draining' }), 'draining']);
    expect(messages).toContain('no new streams are taken');
    expect(messages).toContain('breaking off what is left at --shutdown-timeout');
    expect(lines.at(-1)?.[0]).toBe('stopped');
  });
});
