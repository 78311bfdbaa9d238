import { describe, expect, it } from '@jest/globals';
import { credentials, status } from '@grpc/grpc-js';
import { generate } from 'selfsigned';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanup } from '#testing';
import { PLUGINS } from '#scheduling';
import type { EndpointStore } from '#scheduling';
import { EnvoyStream, aRunningEpp, extProcClient, healthOn, optionsOf, watchRefusal } from './epp.fixture.ts';
import {
  STREAMED_CHAT,
  requestBody,
  requestHeaders,
  responseBody,
  responseHeaders,
} from './ext-proc/exchange.fixture.ts';
import { DISAGGREGATED } from './picker.fixture.ts';
import { startLine } from './start-line.ts';
import { checkConfiguration } from './start.ts';
import type { RunningEpp } from './start.ts';

const EXT_PROC = 'envoy.service.ext_proc.v3.ExternalProcessor';
const HEADERS = requestHeaders({ ':path': '/v1/chat/completions' });

describe('startEpp', () => {
  const closing = cleanup();

  async function open(...started: Parameters<typeof aRunningEpp>): Promise<RunningEpp> {
    const epp = await aRunningEpp(...started);
    closing(() => epp.drain.run('SIGTERM'));
    return epp;
  }

  function streamTo({ port }: RunningEpp, channel = credentials.createInsecure()): EnvoyStream {
    const client = extProcClient(port, channel);
    closing(() => client.close());
    return EnvoyStream.open(client);
  }

  async function folderWithPair(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'epp-'));
    closing(() => rmSync(folder, { recursive: true }));
    const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', algorithm: 'sha256' });
    writeFileSync(join(folder, 'tls.crt'), pair.cert);
    writeFileSync(join(folder, 'tls.key'), pair.private);
    return folder;
  }

  it('answers Check and List on the health port, and Watch with UNIMPLEMENTED', async () => {
    const epp = await open();
    expect(await healthOn(epp.healthPort)).toMatchObject({ status: 'SERVING' });
    const list = await healthOn(epp.healthPort, '', 'List');
    expect(list.statuses).toEqual({ [EXT_PROC]: { status: 'SERVING' } });
    expect(await watchRefusal(epp.healthPort)).toBe(status.UNIMPLEMENTED);
  });

  it('has health on the main port where it is asked to, and else not', async () => {
    const { port } = await open(['--health-checking']);
    expect(await healthOn(port, EXT_PROC)).toMatchObject({ status: 'SERVING' });
    const other = await open();
    await expect(healthOn(other.port)).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  });

  it('serves TLS with a certificate of its own where no folder is given', async () => {
    const epp = await open(['--secure-serving=true']);
    const stream = streamTo(epp, credentials.createSsl(null, null, null, { rejectUnauthorized: false }));
    stream.say(HEADERS, requestBody(STREAMED_CHAT, true));
    await stream.has(2);
    stream.call.end();
    expect(await stream.ended).toMatchObject({ code: status.OK });
  });

  it('serves the certificate of the folder', async () => {
    const folder = await folderWithPair();
    const epp = await open(['--secure-serving=true', `--cert-path=${folder}`, '--enable-cert-reload']);
    const stream = streamTo(epp, credentials.createSsl(null, null, null, { rejectUnauthorized: false }));
    stream.say(HEADERS, requestBody(STREAMED_CHAT, true));
    await stream.has(2);
    stream.call.end();
    await stream.ended;
  });

  it('refuses a pool where Kubernetes cannot be asked', async () => {
    await expect(aRunningEpp(['--pool-name=p'])).rejects.toThrow('Kubernetes discovery is not available');
  });

  it('refuses leader election where there is none', async () => {
    await expect(aRunningEpp(['--ha-enable-leader-election'])).rejects.toThrow(
      '--ha-enable-leader-election  is not supported',
    );
  });

  it('says so where a configuration is only checked, too', () => {
    const options = optionsOf(['--ha-enable-leader-election']);
    expect(() => checkConfiguration(options, PLUGINS)).toThrow('--ha-enable-leader-election  is not supported');
  });

  it('says which port it cannot have', async () => {
    const { port } = await open();
    await expect(aRunningEpp([`--grpc-port=${port}`])).rejects.toThrow(`cannot listen on port ${port}`);
  });

  it('listens before Kubernetes has said endpoints, and is not serving until then', async () => {
    let say = (): void => undefined;
    const askKubernetes = () => ({
      start: (endpoints: EndpointStore) =>
        new Promise<void>((resolve) => {
          say = () => {
            endpoints.replace([]);
            resolve();
          };
        }),
      close: () => undefined,
    });
    const epp = await open(['--pool-name=p'], { askKubernetes });
    expect(await healthOn(epp.healthPort, 'readiness')).toMatchObject({ status: 'NOT_SERVING' });
    expect(await healthOn(epp.healthPort, 'liveness')).toMatchObject({ status: 'SERVING' });
    say();
    expect(await healthOn(epp.healthPort, 'readiness')).toMatchObject({ status: 'SERVING' });
  });

  it.each([
    ['http', 'SERVING'],
    [undefined, 'SERVING'],
    ['https', 'NOT_SERVING'],
  ])('is ready for a pool that speaks %s: %s', async (appProtocol, status) => {
    const start = (endpoints: EndpointStore): Promise<void> => {
      endpoints.replace([]);
      return Promise.resolve();
    };
    const askKubernetes = () => ({ appProtocol, start, close: () => undefined });
    const epp = await open(['--pool-name=p'], { askKubernetes, plugins: PLUGINS });
    expect(await healthOn(epp.healthPort, EXT_PROC)).toMatchObject({ status });
    expect(await healthOn(epp.healthPort, 'liveness')).toMatchObject({ status: 'SERVING' });
  });

  it('says what runs in it, and where it listens', async () => {
    const flags = ['--endpoints=a=10.0.0.1:80,b=10.0.0.2:80', `--config-text=${DISAGGREGATED}`, '--tracing=false'];
    const epp = await open(flags);
    expect(startLine(optionsOf(flags), epp)).toEqual({
      port: epp.port,
      health_port: epp.healthPort,
      metrics_port: 9090,
      tls: true,
      tracing: false,
      verbosity: 2,
      discovery: 'endpoints',
      endpoints: 2,
      profile_handler: 'disagg-profile-handler',
      profiles: {
        decode: ['decode-filter', 'max-score-picker'],
        prefill: ['prefill-filter', 'max-score-picker'],
      },
      parsers: expect.arrayContaining(['openai-parser', 'passthrough-parser']),
      plugins: expect.arrayContaining(['prefix-based-pd-decider', 'inflight-load-producer']),
    });
  });

  it('on SIGTERM is not serving at once, still takes requests, and lets open streams end', async () => {
    const epp = await open(['--drain-timeout=1s', '--shutdown-timeout=1m']);
    const running = streamTo(epp);
    running.say(HEADERS, requestBody(STREAMED_CHAT, true), responseHeaders({}));
    await running.has(3);
    const stopped = epp.drain.run('SIGTERM');
    expect(await healthOn(epp.healthPort)).toMatchObject({ status: 'NOT_SERVING' });
    expect(await healthOn(epp.healthPort, 'liveness')).toMatchObject({ status: 'SERVING' });
    const late = streamTo(epp);
    late.say(HEADERS, requestBody(STREAMED_CHAT, true));
    await late.has(2);
    late.call.end();
    for (let chunk = 0; chunk < 3; chunk++) running.say(responseBody('data: 1\n\n', chunk === 2));
    await running.has(6);
    running.call.end();
    expect(await running.ended).toMatchObject({ code: status.OK });
    await stopped;
    await expect(healthOn(epp.healthPort)).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it('breaks off what is left at --shutdown-timeout', async () => {
    const epp = await open(['--drain-timeout=0s', '--shutdown-timeout=10ms']);
    const stream = streamTo(epp);
    stream.say(HEADERS, requestBody(STREAMED_CHAT, true));
    await stream.has(2);
    await epp.drain.run('SIGTERM');
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE });
  });
});
