import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { cleanup } from '#testing';
import { TemporaryFolder } from '../e2e/support/temporary-folder.ts';
import { CHAT } from './broker.fixture.ts';
import { RedisServer } from './redis.fixture.ts';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(60_000);

describe('async-broker over TLS', () => {
  const folder = new TemporaryFolder();
  const later = cleanup();
  let server: RedisServer;
  let cluster: ObservedCluster;
  let authority = '';

  beforeAll(async () => {
    cluster = await ObservedCluster.start();
    const pair = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    });
    authority = folder.write('tls.crt', pair.cert);
    const key = folder.write('tls.key', pair.private);
    const tls = ['--tls-cert-file', authority, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const notify = ['--notify-keyspace-events', 'Kl', '--requirepass', 'p:w'];
    server = await RedisServer.start({ tls, args: notify });
  });

  afterAll(async () => {
    await server.close();
    await cluster.close();
    folder.remove();
  });

  const start = async (redis: object): Promise<ObservedCoordinator> => {
    const params = { redis_url: `rediss://:p%3Aw@localhost:${server.port}/3`, redis };
    const coordinator = await ObservedCoordinator.start(cluster, {
      steps: [{ type: 'async-broker', params }, 'decode'],
    });
    later(() => coordinator.close());
    return coordinator;
  };

  it('does not start where the certificate is not one of its authorities', async () => {
    await expect(start({})).rejects.toThrow('redis cannot be used: offline (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });

  it('queues, holds and delivers, with the password and the database of the URL', async () => {
    const { url } = await start({ ca_file: authority });
    const ask = (mode: string): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-llm-d-async-mode': mode, 'x-request-id': 'job-1' },
        body: CHAT,
      });
    expect((await ask('enqueue')).status).toBe(202);
    const redis = await server.client({ database: 3, ca: authority, password: 'p:w' });
    later(() => redis.destroy());
    expect(await redis.exists('request-active:default:job-1')).toBe(1);
    const held = ask('wait');
    while ((await redis.pubSubChannels()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await redis.pubSubChannels()).toEqual(['__keyspace@3__:results:req:default:job-1']);
    await redis.lPush('results:req:default:job-1', '{"status_code":200,"payload":"{}"}');
    expect((await held).status).toBe(200);
  });

  it('takes any certificate where it is told to', async () => {
    await expect(start({ insecure_skip_verify: true })).resolves.toBeDefined();
  });
});
