import { describe, expect, it, jest } from '@jest/globals';
import { cleanup } from '#testing';
import { BrokerBench, CHAT, errorOf, eventually } from './broker.fixture.ts';
import type { Answered } from './broker.fixture.ts';
import { RedisServer, redisClient } from './redis.fixture.ts';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(90_000);

const MODE = 'x-llm-d-async-mode';
const LIVE = { [MODE]: 'passthrough', 'x-llm-d-tenant': 'team-a' };
const later = cleanup();

async function start(params: object = {}) {
  const server = await RedisServer.start();
  later(() => server.close());
  const cluster = await ObservedCluster.start();
  later(() => cluster.close());
  const bench = await BrokerBench.start(server, cluster, params);
  later(() => bench.close());
  return { server, cluster, bench };
}

const codeOf = (answer: Answered): unknown[] => [answer.status, errorOf(answer).type, errorOf(answer).code];
const verbose = async (bench: BrokerBench): Promise<string> =>
  (await fetch(`${bench.coordinator.url}/readyz?verbose`)).text();

describe('async-broker, Redis away at the start', () => {
  it('does not start', async () => {
    const cluster = await ObservedCluster.start();
    later(() => cluster.close());
    const steps = [{ type: 'async-broker', params: { redis_url: 'redis://user:SECRET@127.0.0.1:1' } }, 'decode'];
    const started = ObservedCoordinator.start(cluster, { steps });
    await expect(started).rejects.toThrow(
      /pipeline\.steps\[0\]\.params\.redis_url +redis cannot be used: offline \(ECONNREFUSED\)/,
    );
    await expect(started).rejects.not.toThrow('SECRET');
  });

  it('starts when Redis has read what it kept', async () => {
    // microseconds for each command; after 1024 of them it looks at its clients
    const server = await RedisServer.start({ args: ['--key-load-delay', '500'] });
    later(() => server.close());
    const cluster = await ObservedCluster.start();
    later(() => cluster.close());
    const client = await redisClient(server.url);
    await Promise.all(Array.from({ length: 4 * 1024 }, (_, key) => client.set(`key-${key}`, 'text')));
    client.destroy();
    await server.stop();
    await server.run();
    const steps = [{ type: 'async-broker', params: { redis_url: server.url } }, 'decode'];
    const coordinator = await ObservedCoordinator.start(cluster, { steps });
    await coordinator.close();
  });

  it('does not start with a password that is wrong', async () => {
    const server = await RedisServer.start({ args: ['--requirepass', 'right'] });
    later(() => server.close());
    const cluster = await ObservedCluster.start();
    later(() => cluster.close());
    const url = (password: string): string => server.url.replace('//', `//:${password}@`);
    const at = (redis_url: string) => [{ type: 'async-broker', params: { redis_url } }, 'decode'];
    await expect(ObservedCoordinator.start(cluster, { steps: at(url('wrong')) })).rejects.toThrow('WRONGPASS');
    const coordinator = await ObservedCoordinator.start(cluster, { steps: at(url('right')) });
    await coordinator.close();
  });
});

describe('async-broker, Redis away later', () => {
  it('answers queued modes with 503 and routes with 500, serves the rest, and works again when Redis is back', async () => {
    const { server, bench } = await start({ quota: { limits: { 'team-a': 1 } } });
    await eventually(async () => (await verbose(bench)).includes('[+] redis ok'));
    await bench.ask({ [MODE]: 'enqueue', 'x-request-id': 'accepted' });
    await server.stop('SIGTERM');
    for (const mode of ['enqueue', 'wait']) {
      const answer = await bench.ask({ [MODE]: mode, 'x-request-id': 'job-1' });
      expect(codeOf(answer)).toEqual([503, 'api_error', 'ENQUEUE_FAILED']);
      expect(answer.headers.get('x-request-id')).toBe('job-1');
    }
    expect(codeOf(await bench.request('GET', 'job-1'))).toEqual([500, 'api_error', 'LOOKUP_FAILED']);
    expect(codeOf(await bench.request('DELETE', 'job-1'))).toEqual([500, 'api_error', 'DELETE_FAILED']);
    expect((await bench.ask(LIVE)).status).toBe(200);
    expect((await bench.ask({})).status).toBe(200);
    await eventually(async () => /\[-\] redis /.test(await verbose(bench)));
    expect(JSON.stringify(bench.coordinator.lines)).not.toContain('"hi"');

    await server.run();
    await eventually(async () => (await bench.ask({ [MODE]: 'enqueue' })).status === 202);
    await eventually(async () => (await verbose(bench)).includes('[+] redis ok'));
    expect((await bench.request('GET', 'accepted')).status).toBe(202);
    expect(await bench.coordinator.samples('llm_d_coordinator_async_quota_total')).toEqual({ 'outcome="unknown"': 1 });
  });

  it('delivers to a client that waited through the outage', async () => {
    const { server, bench } = await start();
    const asked = bench.ask({ [MODE]: 'wait', 'x-request-id': 'job-1' });
    await eventually(async () => (await bench.coordinator.total('llm_d_coordinator_async_held_requests')) === 1);
    await eventually(async () => (await bench.redis.exists('request-active:default:job-1')) === 1);
    await server.stop('SIGTERM');
    await server.run();
    await bench.deliverWhenBack('default:job-1', { status_code: 200, payload: '{}' });
    expect((await asked).status).toBe(200);
    await eventually(async () => (await bench.redis.pubSubChannels()).length === 0);
  });

  it('holds no command longer than its limit when Redis says nothing', async () => {
    const { server, bench } = await start();
    server.freeze();
    later(() => {
      server.thaw();
    });
    const answer = await bench.ask({ [MODE]: 'enqueue' });
    expect(codeOf(answer)).toEqual([503, 'api_error', 'ENQUEUE_FAILED']);
    expect(await bench.coordinator.samples('llm_d_coordinator_async_redis_errors_total')).toEqual({
      'command="submit",failure="timeout"': 1,
    });
  });

  it('gives a place of the quota back that it could not while Redis was away', async () => {
    const { server, cluster, bench } = await start({ quota: { limits: { 'team-a': 1 } } });
    let answer = (): void => undefined;
    cluster.handlers.decode = (response) => {
      answer = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    const asked = bench.ask(LIVE);
    await cluster.received('decode');
    await server.stop('SIGTERM');
    await eventually(async () => (await bench.ask({ [MODE]: 'enqueue' })).status === 503);
    answer();
    expect((await asked).status).toBe(200);
    await bench.coordinator.idle();
    await server.run();
    await bench.backAgain();
    await eventually(async () => (await bench.redis.get('quota:userid:team-a')) === '0');
  });

  it('tells nothing of a request that Redis quotes in its refusal', async () => {
    const { bench } = await start();
    // a server that does not know a command answers with the beginning of its arguments
    await bench.redis.aclSetUser('default', ['-evalsha', '-eval']);
    const answer = await bench.ask({ [MODE]: 'enqueue' }, CHAT.replace('hi', 'SECRET'));
    await bench.coordinator.idle();
    expect(codeOf(answer)).toEqual([503, 'api_error', 'ENQUEUE_FAILED']);
    expect(answer.text + JSON.stringify(bench.coordinator.lines)).not.toContain('SECRET');
  });
});
