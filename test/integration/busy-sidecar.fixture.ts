import type { EndpointStore } from '#scheduling';
import { json } from '#testing';
import type { Handler } from '#testing';
import { freePorts, portOf } from '../../apps/sidecar/src/sidecar.fixture.ts';
import { CHAT, WatchedSidecar, aChat, refusing, streaming } from './watched-sidecar.fixture.ts';
import type { Sent, WatchedSetting } from './watched-sidecar.fixture.ts';

const TRACED = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

/** Asks one sidecar after the other for all that a sidecar does and can fail with. @param watching who sees all of it */
export async function driveEverything(watching: Pick<WatchedSetting, 'spans' | 'metrics'>): Promise<void> {
  for (const [setting, ask] of await scenarios()) {
    const sidecar = await WatchedSidecar.start({ ...setting, ...watching });
    for (const sent of ask(sidecar)) await sidecar.send(sent);
    await sidecar.close();
  }
}

/** Answers of at most two tokens, none of them the last. */
export const chunk: Handler = (_, response) => {
  const choices = [{ message: { content: 'x' }, finish_reason: 'length' }];
  json(response, { choices, usage: { prompt_tokens: 1, completion_tokens: 2 } });
};

/** A prefill worker of mooncake: one engine, and prefills. */
export const mooncakeWorker: Handler = (request, response) => {
  json(response, request.method === 'GET' ? { 0: { engine_id: 'e' } } : { choices: [{}] });
};

/** A pool with those addresses. */
export function pool(...addresses: readonly string[]): WatchedSetting & { readonly flags: readonly string[] } {
  const pods = addresses.map((address) => {
    return { id: `ns/${address}`, namespace: 'ns', name: address, address, port: 8000, labels: {} };
  });
  const start = (endpoints: EndpointStore): Promise<void> => {
    endpoints.replace(pods);
    return Promise.resolve();
  };
  return {
    flags: ['--enable-ssrf-protection', '--inference-pool=ns/pool'],
    surroundings: { askKubernetes: () => ({ start, close: () => undefined }) },
  };
}

type Scenario = readonly [setting: WatchedSetting, ask: (sidecar: WatchedSidecar) => readonly Sent[]];

async function scenarios(): Promise<readonly Scenario[]> {
  const port = await freePorts(1);
  return [
    [everyStage(), askEveryStage],
    [{ flags: ['--decode-chunk-size=2'], engine: chunk }, () => [{ body: aChat({ max_tokens: 4 }) }]],
    [{ options: { port }, env: { POD_IP: '127.0.0.1' } }, askRank],
    [
      { ...pool(), flags: [...pool().flags, '--enable-p2p-pull'] },
      (sidecar) => [
        { body: aChat(), headers: sidecar.named('prefill') },
        { body: aChat(), headers: { 'x-kv-cache-source-host-port': '10.0.0.9:80' } },
      ],
    ],
    [{ encode: refusing(500), flags: ['--ec-connector=ec-example'] }, askEncode],
    [{ engine: refusing(500), prefill: refusing(400) }, askPassthrough],
    [{ prefill: mooncakeWorker, flags: ['--kv-connector=mooncake'] }, askMooncake],
    [{ prefill: refusing(500), flags: ['--kv-connector=mooncake'] }, askMooncake],
  ];
}

function everyStage(): WatchedSetting {
  let prefills = 0;
  const usage = { prompt_tokens_details: { cached_tokens: 7 } };
  const { flags, surroundings = {} } = pool('127.0.0.1', '10.0.0.9');
  return {
    flags: [
      ...flags,
      '--ec-connector=ec-nixl',
      '--enable-p2p-pull',
      '--prefill-max-retries=1',
      '--prefill-retry-backoff=1ms',
    ],
    surroundings,
    engine: streaming('a'),
    prefill: (_, response) => {
      if (++prefills === 1) response.writeHead(503).end();
      else json(response, { choices: [{}], usage, kv_transfer_params: {} });
    },
  };
}

function askEveryStage(sidecar: WatchedSidecar): readonly Sent[] {
  const encoders = `${sidecar.named('encode')['x-encoder-hosts-ports'] ?? ''},10.9.9.9:80`;
  return [
    { body: aChat({}, 2), headers: { ...sidecar.named('prefill'), 'x-encoder-hosts-ports': encoders } },
    { body: aChat(), headers: { ...sidecar.named('prefill'), 'x-kv-cache-source-host-port': '10.0.0.9:8000' } },
    { body: aChat({ prompt_logprobs: 1 }), headers: sidecar.named('prefill') },
  ];
}

function askRank(sidecar: WatchedSidecar): readonly Sent[] {
  return [{ body: aChat(), headers: { 'x-data-parallel-host-port': `127.0.0.1:${portOf(sidecar.url)}` } }];
}

function askEncode(sidecar: WatchedSidecar): readonly Sent[] {
  return [{ body: aChat({}, 1), headers: sidecar.named('encode') }];
}

function askPassthrough(sidecar: WatchedSidecar): readonly Sent[] {
  return [
    { path: '/v1/models', headers: TRACED },
    { path: CHAT, body: aChat() },
    { path: CHAT, body: aChat(), headers: sidecar.named('prefill') },
  ];
}

function askMooncake(sidecar: WatchedSidecar): readonly Sent[] {
  return [{ body: aChat(), headers: sidecar.named('prefill') }];
}
