import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Res } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Lifecycle } from '#foundation';
import { TcpPeer, cleanup } from '#testing';
import { TestApp } from './app.fixture.ts';
import { Shutdown } from './shutdown.ts';
import type { ShutdownLimits } from './shutdown.ts';

/** Requests that the test finishes. */
@Controller()
@Injectable()
class Work implements OnApplicationShutdown {
  readonly responses: ServerResponse[] = [];
  brokenOff = 0;
  isShutDown = false;
  /** Whether breaking a request off ends it. */
  yields = true;

  constructor(private readonly lifecycle: Lifecycle) {}

  @Get('work')
  begin(@Res() reply: FastifyReply): void {
    reply.hijack();
    const { raw } = reply;
    const served = {
      breakOff: (): void => {
        this.brokenOff++;
        if (this.yields) raw.destroy();
      },
    };
    this.lifecycle.begin(served);
    raw.once('close', () => this.lifecycle.end(served));
    raw.writeHead(200).write('begun');
    this.responses.push(raw);
  }

  onApplicationShutdown(): void {
    this.isShutDown = true;
  }
}

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const later = cleanup();

async function running(limits: Partial<ShutdownLimits> = {}) {
  const lines: string[] = [];
  const server = await TestApp.start({ controllers: [Work], lines });
  later(() => server.close());
  server.lifecycle.advance('serving');
  const rest = { closed: 0 };
  const shutdown = new Shutdown(server.app, server.lifecycle, { drainDelay: 0, timeout: 10_000, ...limits }, () => {
    rest.closed++;
    return Promise.resolve();
  });
  return { server, shutdown, lines, rest, work: server.app.get(Work) };
}

/** A client whose request is being served. */
async function working(url: string): Promise<TcpPeer> {
  const client = await TcpPeer.to(url);
  await client.send(GET('/work')).until('begun');
  return client;
}

describe('Shutdown', () => {
  it('turns readiness off at once, and serves on for the drain delay, new connections too', async () => {
    const { server, shutdown } = await running({ drainDelay: 300 });
    const begun = performance.now();
    const done = shutdown.run('SIGTERM');
    expect(server.lifecycle.phase).toBe('draining');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect(await (await fetch(`${server.url}/healthz`)).text()).toBe('ok');
    await done;
    expect(performance.now() - begun).toBeGreaterThan(290);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('lets what runs finish, and refuses what is new meanwhile', async () => {
    const { server, shutdown, work } = await running();
    const client = await working(server.url);
    const done = shutdown.run('SIGTERM');
    while (!server.lifecycle.isClosing) await new Promise(setImmediate);
    await expect(TcpPeer.to(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    work.responses[0]?.end('done');
    await done;
    expect(await client.rest()).toContain('done');
    expect(work.brokenOff).toBe(0);
  });

  it('is not held up by a connection that nothing is asked on', async () => {
    const { server, shutdown } = await running();
    const idle = await TcpPeer.to(server.url);
    await idle.send(GET('/healthz')).until('ok');
    const silent = await TcpPeer.to(server.url);
    await shutdown.run('SIGTERM');
    await Promise.all([idle.closed, silent.closed]);
  });

  it('breaks off what is left at the timeout, which is counted from the signal', async () => {
    const { server, shutdown, work } = await running({ drainDelay: 700, timeout: 900 });
    const client = await working(server.url);
    const begun = performance.now();
    await shutdown.run('SIGTERM');
    const taken = performance.now() - begun;
    expect(taken).toBeGreaterThan(890);
    expect(taken).toBeLessThan(1_500);
    expect(work.brokenOff).toBe(1);
    await client.closed;
  });

  it('serves for the whole drain delay where that is longer than the timeout', async () => {
    const { server, shutdown, work } = await running({ drainDelay: 300, timeout: 100 });
    await working(server.url);
    const begun = performance.now();
    await shutdown.run('SIGTERM');
    expect(performance.now() - begun).toBeGreaterThan(290);
    expect(work.brokenOff).toBe(1);
  });

  it('cuts what does not end although it was broken off', async () => {
    const { server, shutdown, work } = await running({ timeout: 50 });
    work.yields = false;
    const client = await working(server.url);
    const begun = performance.now();
    await shutdown.run('SIGTERM');
    expect(performance.now() - begun).toBeLessThan(4_000);
    await client.closed;
  });

  it('runs the hooks of the app and closes what stands beside it', async () => {
    const { shutdown, rest, work } = await running();
    await shutdown.run('SIGTERM');
    expect(work.isShutDown).toBe(true);
    expect(rest.closed).toBe(1);
  });

  it('closes nothing beside the app while it still serves', async () => {
    const { server, shutdown, rest, work } = await running();
    await working(server.url);
    const done = shutdown.run('SIGTERM');
    while (!server.lifecycle.isClosing) await new Promise(setImmediate);
    expect([rest.closed, work.isShutDown]).toEqual([0, false]);
    work.responses[0]?.end();
    await done;
  });

  it('closes all apps of a process that has several, and none before the last request is done', async () => {
    const { server, work } = await running();
    const other = await TestApp.start();
    later(() => other.close());
    const client = await working(server.url);
    const limits = { drainDelay: 0, timeout: 10_000 };
    const done = new Shutdown([server.app, other.app], server.lifecycle, limits).run('SIGTERM');
    while (!server.lifecycle.isClosing) await new Promise(setImmediate);
    for (const { url } of [server, other]) {
      await expect(TcpPeer.to(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
    work.responses[0]?.end('done');
    await done;
    expect(await client.rest()).toContain('done');
  });

  it('is begun once', async () => {
    const { shutdown, rest } = await running();
    await Promise.all([shutdown.run('SIGTERM'), shutdown.run('SIGINT')]);
    expect(rest.closed).toBe(1);
  });

  it('calls the timeout what it is called where it is set', async () => {
    const { server, shutdown, lines } = await running({ timeout: 50, setting: '--shutdown-timeout' });
    await working(server.url);
    await shutdown.run('SIGTERM');
    expect(lines.join()).toContain('breaking off what is left at --shutdown-timeout');
  });

  it('says what it does', async () => {
    const { server, shutdown, lines } = await running({ timeout: 50 });
    await working(server.url);
    await shutdown.run('SIGTERM');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { logger: 'shutdown', body: 'draining', signal: 'SIGTERM', in_flight: 1, severity_text: 'INFO' },
      { body: 'breaking off what is left at server.shutdown_timeout', in_flight: 1, severity_text: 'WARN' },
      { body: 'stopped' },
    ]);
  });
});
