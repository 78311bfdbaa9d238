import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { LifecyclePhase } from '#foundation';
import { RawUpstream, cleanup } from '#testing';
import { TestApp } from './app.fixture.ts';
import type { TestAppOptions } from './app.fixture.ts';
import { ReadinessService } from './readiness.service.ts';
import type { RuntimeOptions } from './runtime.config.ts';

const later = cleanup();

async function running(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await TestApp.start(options);
  later(() => app.close());
  return app;
}

async function upstream(): Promise<RawUpstream> {
  const server = await RawUpstream.start(() => undefined);
  later(() => server.close());
  return server;
}

/** An address that refuses. */
async function nobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // what a server on TCP has
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** An app with a gateway and a render, once both were checked. */
async function watching(
  gateway: string,
  render: string,
  require: RuntimeOptions['readiness']['require'],
): Promise<TestApp> {
  const dependencies = [
    { name: 'gateway', url: gateway },
    { name: 'render', url: render },
  ];
  const checked = Promise.withResolvers<undefined>();
  const names = new Set<string>();
  const app = await running({
    runtime: {
      dependencies,
      readiness: { interval: 100, require },
      onReadiness: (name) => {
        if (names.add(name).size === 2) checked.resolve(undefined);
      },
    },
  });
  app.lifecycle.advance('serving');
  await checked.promise;
  return app;
}

async function ask(app: TestApp, path: string, method = 'GET'): Promise<[number, string]> {
  const response = await fetch(app.url + path, { method });
  return [response.status, await response.text()];
}

describe('/healthz', () => {
  it.each<LifecyclePhase>(['starting', 'serving', 'draining', 'closing'])('is ok while %s', async (phase) => {
    const app = await running();
    app.lifecycle.advance(phase);
    expect(await ask(app, '/healthz')).toEqual([200, 'ok']);
    expect(await ask(app, '/healthz', 'HEAD')).toEqual([200, '']);
  });

  it('is the process alone, whatever is required of upstreams', async () => {
    const app = await watching(await nobody(), await nobody(), ['gateway', 'render']);
    expect(await ask(app, '/healthz')).toEqual([200, 'ok']);
  });
});

describe('/readyz', () => {
  it.each<[LifecyclePhase, number, string]>([
    ['starting', 503, 'not ready: starting'],
    ['serving', 200, 'ok'],
    ['draining', 503, 'not ready: draining'],
    ['closing', 503, 'not ready: closing'],
  ])('while %s is %i', async (phase, status, text) => {
    const app = await running();
    app.lifecycle.advance(phase);
    expect(await ask(app, '/readyz')).toEqual([status, text]);
    expect(await ask(app, '/readyz', 'HEAD')).toEqual([status, '']);
  });

  it('is plain text', async () => {
    const { headers } = await fetch(`${(await running()).url}/readyz`);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('does not depend on an upstream that is not required', async () => {
    const app = await watching(await nobody(), await nobody(), []);
    expect(await ask(app, '/readyz')).toEqual([200, 'ok']);
  });

  it('depends on those that are, and names the first that is missing', async () => {
    const app = await watching((await upstream()).url, await nobody(), ['gateway', 'render']);
    expect(await ask(app, '/readyz')).toEqual([503, 'not ready: render ECONNREFUSED']);
  });

  it('is 503 before a required upstream was checked', async () => {
    const dependencies = [{ name: 'gateway', url: 'http://nobody.invalid' }];
    const app = await running({ runtime: { dependencies, readiness: { interval: 60_000, require: ['gateway'] } } });
    app.lifecycle.advance('serving');
    expect(await ask(app, '/readyz')).toEqual([503, expect.stringMatching(/^not ready: gateway /)]);
  });

  it('follows an upstream that goes and comes', async () => {
    const gateway = await upstream();
    const app = await watching(gateway.url, gateway.url, ['gateway']);
    const isReady = (): boolean => app.app.get(ReadinessService).isReady;
    expect(isReady()).toBe(true);
    await gateway.close();
    while (isReady()) await new Promise(setImmediate);
    const back = createServer();
    later(() => new Promise((resolve) => back.close(resolve)));
    back.listen(Number(new URL(gateway.url).port), '127.0.0.1');
    while (!isReady()) await new Promise(setImmediate);
    expect(await ask(app, '/readyz')).toEqual([200, 'ok']);
  });

  it('tells everything where asked to be verbose', async () => {
    const app = await watching((await upstream()).url, await nobody(), ['render']);
    expect(await ask(app, '/readyz?verbose')).toEqual([
      503,
      'process serving\n[+] gateway ok\n[-] render ECONNREFUSED (required)\nnot ready\n',
    ]);
  });

  it('tells everything of a process that is ready, too', async () => {
    const app = await watching((await upstream()).url, await nobody(), []);
    expect(await ask(app, '/readyz?verbose=1')).toEqual([
      200,
      'process serving\n[+] gateway ok\n[-] render ECONNREFUSED\nready\n',
    ]);
  });
});
