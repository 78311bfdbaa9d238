import { readFileSync, readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { hostPort } from '#protocol';
import { cleanup, json } from '#testing';
import type { FakeUpstream } from '#testing';
import { DisaggBench } from '../disagg.fixture.ts';
import type { KeyStyle } from './transfer-keys.ts';
import { ONE_ENGINE, connector, run } from './transfer.fixture.ts';
import type { Connector } from './transfer.fixture.ts';

/** What two workers must be sent for a request; every text is exact, but for what is made anew each time. */
interface Golden {
  readonly source: string;
  readonly connector: Connector;
  readonly keys?: KeyStyle;
  readonly path: string;
  readonly request: string;
  readonly kvCacheSource?: string;
  readonly prefill: string;
  readonly decode: string;
}

const FOLDER = new URL('../../../../test/fixtures/legs/', import.meta.url);
const CONNECTORS: readonly string[] = ['offloading', 'mooncake', 'sglang', 'shared-storage'] satisfies Connector[];
const GOLDENS = readdirSync(FOLDER)
  // files of this repository, in the form above
  .map((file): [string, Golden] => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden])
  .filter(([, golden]) => CONNECTORS.includes(golden.connector));

let bench: DisaggBench;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
});

/** The text with what differs from run to run named. */
function masked(worker: FakeUpstream, { url }: FakeUpstream): string {
  const text = worker.requests.at(-1)?.body.toString() ?? 'was not called';
  return text
    .replaceAll(url, 'http://<prefiller>:<bootstrap>')
    .replaceAll('127.0.0.1', '<prefiller>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"bootstrap_room":\d{1,19}\b/g, '"bootstrap_room":<room>');
}

describe.each(GOLDENS)('the bodies of %s', (_, golden) => {
  it('are these', async () => {
    const prefiller = await bench.worker((request, response) => {
      json(response, request.method === 'GET' ? ONE_ENGINE : '{"choices":[{}]}');
    });
    const bootstrapPort = Number(new URL(prefiller.url).port);
    const transfer = connector(golden.connector, bench, { keys: golden.keys ?? 'seed', bootstrapPort });
    const exchange = bench.exchange({ path: golden.path, body: golden.request });
    const source = golden.kvCacheSource === undefined ? undefined : hostPort(golden.kvCacheSource);

    const answer = await run(transfer, exchange, prefiller, source);
    await exchange.watch.settled();

    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(masked(prefiller, prefiller)).toBe(golden.prefill);
    expect(masked(bench.engine, prefiller)).toBe(golden.decode);
    for (const worker of [prefiller, bench.engine]) {
      const call = worker.requests.at(-1);
      expect(`${call?.method} ${call?.path}`).toBe(`POST ${golden.path}`);
      expect(call?.headers).toMatchObject({
        'content-length': String(call?.body.length),
        'content-type': 'application/json',
        'x-request-id': 'req-1',
      });
    }
  });
});

describe('the goldens of legs', () => {
  it('have every connector and every path it serves', () => {
    const has = new Set(GOLDENS.map(([, golden]) => `${golden.connector} ${golden.path}`));
    const all = ['/v1/chat/completions', '/v1/completions', '/v1/messages', '/v1/responses', '/inference/v1/generate'];
    const expected = CONNECTORS.flatMap((name) =>
      (name === 'sglang' ? all.slice(0, 2) : all).map((path) => `${name} ${path}`),
    );
    expect([...has].sort()).toEqual(expected.sort());
  });

  it('have digits beyond a double, an order of nested keys, and a repeated key', () => {
    for (const [, { request }] of GOLDENS) {
      expect(request).toMatch(/9007199254740993/);
      expect(request).toMatch(/"zebra".*"apple"/s);
      expect(request).toMatch(/("max_\w*tokens").*\1/s);
    }
  });

  it('say where they come from', () => {
    expect(GOLDENS.filter(([, { source }]) => !source.startsWith('sidecar.md '))).toEqual([]);
  });
});
