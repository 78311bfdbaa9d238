import { readFileSync, readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { joinRope } from '#json';
import { cleanup, json } from '#testing';
import { DisaggBench, recordLogs, targetOf } from '../disagg.fixture.ts';
import { readRequest } from '../entry.service.ts';
import { EcExampleStage } from './ec-example.stage.ts';
import { EcNixlStage } from './ec-nixl.stage.ts';

/** What encode workers must be sent for a request, and what the next stage works with; every text is exact. */
interface Golden {
  readonly source: string;
  readonly connector: 'ec-example' | 'ec-nixl';
  readonly path: string;
  readonly request: string;
  /** Answers of the workers by item. */
  readonly answers: readonly string[];
  readonly encode: readonly string[];
  readonly next: string;
}

const FOLDER = new URL('../../../../test/fixtures/legs/', import.meta.url);
const GOLDENS = readdirSync(FOLDER)
  .filter((file) => file.startsWith('ec-'))
  // files of this repository, in the form above
  .map((file): [string, Golden] => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden]);

let bench: DisaggBench;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  recordLogs();
});

describe.each(GOLDENS)('the bodies of %s', (_, golden) => {
  it('are these', async () => {
    const sent: string[] = [];
    const encoder = await bench.worker((request, response) => {
      const item = Number(/-enc-(\d+)$/.exec(String(request.headers['x-request-id']))?.[1]);
      sent[item] = request.body.toString();
      json(response, golden.answers[item] ?? '{}');
    });
    const stage = golden.connector === 'ec-nixl' ? new EcNixlStage(bench.stages) : new EcExampleStage(bench.stages);
    const exchange = bench.exchange({ path: golden.path, body: golden.request });

    const next = await stage.run(await readRequest(exchange.request), [targetOf(encoder)]);

    expect(sent).toEqual(golden.encode);
    expect(joinRope(next.json.toRope()).toString()).toBe(golden.next);
    expect(golden.source).toMatch(/^sidecar\.md 5/);
  });
});

it('there are goldens of both connectors', () => {
  expect(new Set(GOLDENS.map(([, golden]) => golden.connector))).toEqual(new Set(['ec-example', 'ec-nixl']));
});
