import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeUpstream, cleanup, json } from '#testing';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { isListening } from '../../apps/simulator/src/stack/is-listening.ts';
import { WorkerBench } from '../integration/async-worker.fixture.ts';
import { RedisServer } from '../integration/redis.fixture.ts';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { statusOf } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { IMAGE_NAMES, ImageFolder } from './support/image.folder.ts';
import type { ImageName } from './support/image.folder.ts';
import { ImageProcess, obstacleToRunning } from './support/image.process.ts';
import type { ImageRun } from './support/image.process.ts';
import { pickerConfig } from './support/picker-config.ts';
import { openChat, readText } from './support/streaming.client.ts';

// images are assembled, processes are started, and the machine may be busy
jest.setTimeout(120_000);

const obstacle = obstacleToRunning();
if (obstacle !== undefined) process.stdout.write(`NOT RUN: the images are not started, for ${obstacle}\n`);
const whereRunnable = obstacle === undefined ? describe : describe.skip;

const later = cleanup();
const CHAT = { model: 'm', stream: true, messages: [{ role: 'user', content: 'What is in the picture?' }] };

/** Loads whatever the program could load at some time: all of its files but the two that start it, and all packages that they name. */
const LOAD_ALL = `
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
const { dependencies } = JSON.parse(readFileSync('/app/sbom.cdx.json', 'utf8'));
const named = dependencies[0].dependsOn.map((ref) => ref.slice(0, ref.lastIndexOf('@')));
const packages = named.filter((name) => readdirSync('/app/node_modules').includes(name.split('/')[0]));
for (const name of packages) await import(createRequire('/app/package.json').resolve(name));
const files = readdirSync('/app/dist', { recursive: true }).filter((file) => /(?<!\\/main|\\/program)\\.js$/.test(file));
for (const file of files) await import(join('/app/dist', file));
let write = 'written';
try { writeFileSync('/app/anything', ''); } catch (error) { write = error.code; }
console.log(JSON.stringify({ packages: packages.length > 10, files: files.length > 100, write }));
`;

whereRunnable('a container of the image', () => {
  let images: ImageFolder;
  beforeAll(async () => {
    images = await ImageFolder.assemble(0);
  });
  afterAll(() => {
    images.remove();
  });

  function start(name: ImageName, run: ImageRun): ImageProcess {
    const container = ImageProcess.start(images, name, run);
    later(() => {
      container.signal('SIGKILL');
    });
    return container;
  }

  /** It is nobody, and has nowhere to write. */
  function expectUnprivileged(container: ImageProcess): void {
    expect(container.status('Uid')).toEqual([65_532, 65_532, 65_532, 65_532]);
    expect(container.status('Gid')).toEqual([65_532, 65_532, 65_532, 65_532]);
    expect(container.status('CapEff')).toEqual([0]);
    expect(container.rootOptions()).toContain('ro');
  }

  it.each(IMAGE_NAMES)('of %s can load all of its program and has nowhere to write', async (name) => {
    const entrypoint = ['/usr/local/bin/node', '--input-type=module', '--eval', LOAD_ALL];
    const container = start(name, { entrypoint, args: [] });
    expect(await container.ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse(container.output)).toEqual({ packages: true, files: true, write: 'EROFS' });
  });

  it('of coordinator serves a request and ends on SIGTERM', async () => {
    const cluster = await startSimulatedCluster();
    later(() => cluster.close());
    const port = await freePort();
    const config = JSON.stringify(coordinatorConfig(cluster, port, { server: { warmup: '1s' } }));
    const container = start('coordinator', { files: { 'etc/coordinator/coordinator.yaml': config } });
    const url = `http://127.0.0.1:${port}`;
    await container.until(async () => (await statusOf(`${url}/readyz`)) === 200);
    expectUnprivileged(container);
    const answer = await openChat(url, CHAT);
    expect(answer.statusCode).toBe(200);
    expect(await readText(answer)).toMatch(/data: \[DONE\]\n\n$/);
    await container.stop();
    expect(container.output).not.toMatch(/EROFS|EACCES/);
  });

  it('of endpoint-picker becomes ready and ends on SIGTERM', async () => {
    const port = await freePort();
    const config = JSON.stringify(pickerConfig('/etc/picker/endpoints.yaml', ['decode']));
    const container = start('endpoint-picker', {
      files: { 'etc/picker/picker.yaml': config, 'etc/picker/endpoints.yaml': '{"endpoints":[]}' },
      args: [
        '--config-file=/etc/picker/picker.yaml',
        `--grpc-port=${port}`,
        `--grpc-health-port=${await freePort()}`,
        `--metrics-port=${await freePort()}`,
        '--tracing=false',
        '--drain-timeout=0s',
      ],
    });
    await container.until(() => container.output.includes('endpoint picker is ready'));
    expectUnprivileged(container);
    expect(await isListening(port)).toBe(true);
    await container.stop();
    expect(container.output).not.toMatch(/EROFS|EACCES/);
  });

  it('of decode-sidecar becomes ready, reaches the engine of its pod by name, and ends on SIGTERM', async () => {
    const engine = await FakeUpstream.start((_request, response) => json(response, '{"from":"engine"}'));
    later(() => engine.close());
    const port = await freePort();
    const args = ['--secure-proxy=false', `--port=${port}`, `--model-server-port=${new URL(engine.url).port}`];
    const container = start('decode-sidecar', { args });
    const url = `http://127.0.0.1:${port}`;
    await container.until(async () => (await statusOf(`${url}/health`)) === 200);
    expectUnprivileged(container);
    const answer = await openChat(url, { ...CHAT, stream: false });
    expect([answer.statusCode, await readText(answer)]).toEqual([200, '{"from":"engine"}']);
    await container.stop();
    expect(container.output).not.toMatch(/EROFS|EACCES/);
  });

  it('of async-worker has a queued request served, and ends on SIGTERM', async () => {
    const redis = await RedisServer.start();
    later(() => redis.close());
    const bench = await WorkerBench.start(redis, (_request, response) => json(response, '{"from":"coordinator"}'));
    later(() => bench.close());
    const port = await freePort();
    const config = JSON.stringify({
      coordinator: { address: bench.upstream.url },
      redis_url: redis.url,
      server: { listen_addr: `127.0.0.1:${port}`, metrics_port: await freePort() },
    });
    const container = start('async-worker', { files: { 'etc/async-worker/async-worker.yaml': config } });
    await container.until(async () => (await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200);
    expectUnprivileged(container);
    await bench.enqueue('job-1');
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: '{"from":"coordinator"}' });
    await container.stop();
    expect(container.output).not.toMatch(/EROFS|EACCES/);
  });
});
