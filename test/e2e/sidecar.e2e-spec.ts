import { describe, expect, it, jest } from '@jest/globals';
import { FakeUpstream, TcpPeer, cleanup, json } from '#testing';
import type { Handler } from '#testing';
import { builtApp, statusOf } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { ProgramProcess } from './support/program.process.ts';

jest.setTimeout(60_000);

const later = cleanup();
const REQUEST = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';

function sidecar(...flags: readonly string[]): ProgramProcess {
  const started = new ProgramProcess('the sidecar', [...builtApp('sidecar'), ...flags]);
  later(() => {
    started.signal('SIGKILL');
  });
  return started;
}

/** Serves on that port before an engine that answers as the test says. */
async function serving(answer: Handler, ...flags: readonly string[]) {
  const engine = await FakeUpstream.start(answer);
  later(() => engine.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const plain = ['--secure-proxy=false', `--port=${port}`, `--model-server-port=${new URL(engine.url).port}`];
  const program = sidecar(...plain, ...flags);
  await program.until(async () => (await statusOf(`${url}/health`)) === 200);
  return { engine, program, url };
}

describe('the built sidecar', () => {
  it.each([
    [
      ['--port=abc', '--kv-connector=x'],
      ['--port must be a valid integer, got "abc"', '--kv-connector must be one of'],
    ],
    [['--connector=nixlv2'], ['--connector  unknown flag']],
    [['--configuration=a: 1', '--configuration-file=b'], ['are mutually exclusive']],
    [['--configuration=connector: nixlv2'], ['failed to unmarshal sidecar configuration']],
    [['--cert-path=/nowhere'], ['load key pair from cert "/nowhere/tls.crt"']],
    [['--moriio-decode-hosts=no-such-host.invalid'], ['resolving --moriio-decode-hosts']],
  ])('exits with 1 and says why: %j', async (flags, messages) => {
    const program = sidecar(...flags);
    expect(await program.ended).toEqual({ code: 1, signal: null });
    for (const message of messages) expect(program.output).toContain(message);
  });

  it('exits with 1 where its port is taken', async () => {
    const { url } = await serving((_request, response) => json(response, '{}'));
    const second = sidecar('--secure-proxy=false', `--port=${new URL(url).port}`);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.output).toContain(`cannot listen on port ${new URL(url).port}: EADDRINUSE`);
  });

  it.each([
    ['--help', 'Usage: inference-decode-sidecar [flags]'],
    ['--version', /^\d+\.\d+\.\d+\n$/],
    ['--check', 'kv-connector: nixlv2'],
  ])('answers %s and exits', async (flag, expected) => {
    const program = sidecar(flag);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    if (typeof expected === 'string') expect(program.output).toContain(expected);
    else expect(program.output).toMatch(expected);
  });

  it('lets what runs end on SIGTERM, takes nothing new, and exits with 0', async () => {
    let finish = (): void => undefined;
    const { engine, program, url } = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      finish = () => response.end('data: [DONE]\n\n');
    });
    const client = await TcpPeer.to(url);
    await client.send(REQUEST).until('data: 1');
    program.signal('SIGTERM');
    await program.until(async () => (await statusOf(`${url}/health`)) === undefined);
    await expect(TcpPeer.to(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    finish();
    expect(await client.rest()).toContain('data: [DONE]');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(engine.requests).toHaveLength(1);
  });

  it('breaks off what is left at --shutdown-timeout, so that no client takes it for whole', async () => {
    const { program, url } = await serving(
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
      '--shutdown-timeout=200ms',
    );
    const client = await TcpPeer.to(url);
    await client.send(REQUEST).until('data: 1');
    program.signal('SIGTERM');
    expect(await client.rest()).not.toContain('[DONE]');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.output).toContain('breaking off what is left at --shutdown-timeout');
  });

  it('exits with 1 at once on a second signal', async () => {
    const { program, url } = await serving((_request, response) => void response.writeHead(200).write('data: 1\n\n'));
    const client = await TcpPeer.to(url);
    await client.send(REQUEST).until('data: 1');
    program.signal('SIGTERM');
    await program.until(() => program.output.includes('draining'));
    program.signal('SIGTERM');
    expect(await program.ended).toEqual({ code: 1, signal: null });
  });

  it('has no content in its log, whatever the level', async () => {
    const { program, url } = await serving(
      (_request, response) => json(response, '{"error":"SECRET-ANSWER"}', 500),
      '--zap-log-level=5',
    );
    const init = { method: 'POST', body: '{"prompt":"SECRET-PROMPT"', headers: { authorization: 'Bearer SECRET-KEY' } };
    const prefill = { 'x-prefiller-host-port': '127.0.0.1:1' };
    await fetch(`${url}/v1/completions`, init);
    await fetch(`${url}/v1/completions`, { ...init, headers: { ...init.headers, ...prefill } });
    await fetch(`${url}/v1/completions`, { ...init, body: `${init.body}}`, headers: { ...init.headers, ...prefill } });
    await program.stop();
    expect(program.output).toContain('sidecar is ready');
    expect(program.output).not.toContain('SECRET');
  });
});
