import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { ANSWER, PREFILLED, aRunningSidecar, anEngine, bodyOf, freePorts, portOf, urlOf } from './sidecar.fixture.ts';
import type { SidecarSetting } from './sidecar.fixture.ts';
import type { RunningSidecar } from './start.ts';

const later = cleanup();
const CHAT = '/v1/chat/completions';

async function upstream(answer?: Handler): Promise<FakeUpstream> {
  const started = await anEngine(answer);
  later(() => started.close());
  return started;
}

/** Closed behind the test. */
async function open(setting: SidecarSetting, engine?: FakeUpstream): Promise<RunningSidecar> {
  const sidecar = await aRunningSidecar(engine ?? (await upstream()), setting);
  later(() => sidecar.shutdown.run('SIGTERM'));
  return sidecar;
}

const ask = (sidecar: RunningSidecar, body: object, headers: Record<string, string>): Promise<Response> =>
  fetch(urlOf(sidecar) + CHAT, { method: 'POST', body: JSON.stringify(body), headers });

describe('startSidecar', () => {
  it.each([
    ['nixlv2', 'kv_transfer_params'],
    ['shared-storage', 'cache_hit_threshold'],
    ['sglang', 'bootstrap_room'],
    ['mooncake', 'kv_transfer_params'],
    ['offloading', 'kv_transfer_params'],
  ])('drives requests by the connector that is asked for: %s', async (connector, field) => {
    const engine = await upstream();
    const prefill = await upstream(({ path }, response) => {
      json(response, path === '/query' ? '{"0":{"engine_id":"e"}}' : PREFILLED);
    });
    const port = portOf(prefill.url);
    const flags = [`--kv-connector=${connector}`, `--mooncake-bootstrap-port=${port}`];
    const sidecar = await open({ flags }, engine);
    const answer = await ask(sidecar, { messages: [] }, { 'x-prefiller-host-port': `127.0.0.1:${port}` });
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    await prefill.received(connector === 'mooncake' ? 2 : 1);
    expect(bodyOf(prefill.requests.at(-1))).toHaveProperty(field);
    expect(bodyOf(engine.requests[0])).toHaveProperty(field);
  });

  it.each(['ec-example', 'ec-nixl'])('has media encoded where there is an encode connector: %s', async (connector) => {
    const [engine, encoder] = [await upstream(), await upstream()];
    const sidecar = await open({ flags: [`--ec-connector=${connector}`] }, engine);
    const content = [{ type: 'image_url', image_url: { url: 'http://x/a.png' } }];
    const target = { 'x-encoder-hosts-ports': `127.0.0.1:${portOf(encoder.url)}` };
    expect((await ask(sidecar, { messages: [{ role: 'user', content }] }, target)).status).toBe(200);
    expect([encoder.requests.length, engine.requests.length]).toEqual([1, 1]);
  });

  it('leaves the encode stage out where there is no encode connector (H14)', async () => {
    const [engine, encoder] = [await upstream(), await upstream()];
    const sidecar = await open({}, engine);
    await ask(sidecar, {}, { 'x-encoder-hosts-ports': `127.0.0.1:${portOf(encoder.url)}` });
    expect([encoder.requests.length, engine.requests.length]).toEqual([0, 1]);
  });

  it('makes answers in chunks where it is asked to', async () => {
    const engine = await upstream();
    const sidecar = await open({ flags: ['--decode-chunk-size=5'] }, engine);
    await ask(sidecar, { messages: [], max_tokens: 10 }, {});
    expect(bodyOf(engine.requests[0])).toMatchObject({ max_tokens: 5 });
  });

  it('pulls a cached prefix under the keys that the engine reads', async () => {
    const engine = await upstream();
    const flags = ['--enable-p2p-pull', '--p2p-key-style=current', '--p2p-connector-port=9500'];
    const sidecar = await open({ flags }, engine);
    await ask(sidecar, {}, { 'x-kv-cache-source-host-port': '10.9.9.9:8000' });
    expect(bodyOf(engine.requests[0])).toMatchObject({
      kv_transfer_params: { remote_kv_source: { remote_host: '10.9.9.9', remote_port: 9500 } },
    });
  });

  it('names the flag of a host that has no address (O23)', async () => {
    const host = 'no-such-host.invalid';
    for (const flag of ['--moriio-remote-hosts', '--moriio-decode-hosts']) {
      await expect(open({ flags: [`${flag}=${host}`] })).rejects.toThrow(`resolving ${flag}`);
    }
    const pod = ['--moriio-write-mode', `--moriio-local-pod-ip=${host}`];
    await expect(open({ flags: pod })).rejects.toThrow('resolving --moriio-local-pod-ip');
  });

  it('starts what stands beside it behind the listeners, and closes it when nothing is served any more', async () => {
    const order: string[] = [];
    const companion = (name: string) => () => {
      order.push(`${name} started`);
      return { close: () => void order.push(`${name} closed`) };
    };
    const sidecar = await open({ surroundings: { companions: [companion('a'), companion('b')] } });
    expect(sidecar.lifecycle.phase).toBe('serving');
    await sidecar.shutdown.run('SIGTERM');
    expect(order).toEqual(['a started', 'b started', 'b closed', 'a closed']);
  });

  it('leaves no listener behind where that cannot start', async () => {
    const port = await freePorts(1);
    const fails = (): never => {
      throw new Error('no room for metrics');
    };
    await expect(open({ options: { port }, surroundings: { companions: [fails] } })).rejects.toThrow('no room');
    expect(portOf(urlOf(await open({ options: { port } })))).toBe(port);
  });
});
