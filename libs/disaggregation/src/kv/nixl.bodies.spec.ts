import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { answering, recordLogs } from '../disagg.fixture.ts';
import { NixlBench } from './nixl.fixture.ts';
import type { MoriioSettings } from './moriio/moriio.settings.ts';

/** What two workers must be sent for a request; every text is exact, but for what is made anew each time. */
interface Golden {
  readonly source: string;
  readonly connector: string;
  readonly moriio?: Partial<MoriioSettings>;
  readonly pulls?: boolean;
  readonly path: string;
  readonly request: string;
  readonly kvCacheSource?: string;
  readonly answer: string;
  readonly prefill: string;
  readonly decode: string;
}

const FOLDER = new URL('../../../../test/fixtures/legs/', import.meta.url);
const GOLDENS = readdirSync(FOLDER)
  // files of this repository, in the form above
  .map((file): [string, Golden] => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden])
  .filter(([, { connector }]) => connector === 'nixlv2');
const later = cleanup();

/** The text with what differs from run to run named. */
function masked(worker: FakeUpstream): string {
  const text = worker.requests[0]?.body.toString() ?? 'was not called';
  return text
    .replaceAll('127.0.0.1', '<prefiller>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/"remote_dp_rank":\d+/g, '"remote_dp_rank":"<rank>"');
}

describe.each(GOLDENS)('the bodies of %s', (_, golden) => {
  it('are these', async () => {
    recordLogs();
    const bench = await NixlBench.start({
      settings: { pulls: golden.pulls ?? false },
      ...(golden.moriio === undefined ? {} : { moriio: golden.moriio }),
      prefill: answering(golden.answer),
    });
    later(() => bench.close());
    const answer = await bench.run({ path: golden.path, body: golden.request }, golden.kvCacheSource);
    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(masked(bench.prefiller)).toBe(golden.prefill);
    expect(masked(bench.engine)).toBe(golden.decode);
    for (const { requests } of [bench.prefiller, bench.engine]) {
      const [call] = requests;
      expect(`${call?.method} ${call?.path}`).toBe(`POST ${golden.path}`);
      expect(call?.headers).toMatchObject({
        'content-length': String(call?.body.length),
        'content-type': 'application/json',
        'x-request-id': 'req-1',
      });
    }
  });
});

describe('the goldens of nixlv2', () => {
  it('have every path', () => {
    expect(new Set(GOLDENS.map(([, { path }]) => path))).toEqual(
      new Set(['/v1/chat/completions', '/v1/completions', '/v1/messages', '/v1/responses', '/inference/v1/generate']),
    );
  });

  it('have digits beyond a double, an order of nested keys, and repeated keys', () => {
    expect(GOLDENS.filter(([, { request }]) => !/9007199254740993/.test(request))).toEqual([]);
    expect(GOLDENS.filter(([, { request }]) => !/"zebra".*"apple"/.test(request))).toEqual([]);
    expect(GOLDENS.some(([, { request }]) => /("max_tokens").*\1/.test(request))).toBe(true);
  });

  it('say where they come from', () => {
    expect(GOLDENS.filter(([, { source }]) => !source.startsWith('sidecar.md '))).toEqual([]);
  });
});
