import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forwardedHeaders } from '#protocol';
import type { RequestFormat } from '#protocol';
import { aRequest, json } from '#testing';
import type { Handler, RecordedRequest } from '#testing';
import { PipelineBench, answering, phaseOf } from './pipeline.fixture.ts';

/** One call as it must go out; every text is exact. A setting that `pipeline` leaves open does not matter. */
interface Golden {
  readonly source: string;
  readonly client: RequestFormat;
  readonly pipeline: Settings;
  readonly request: string;
  readonly rendered: string | null;
  readonly answers: { readonly encode?: Readonly<Record<string, string>>; readonly prefill?: string };
  /** Present where the pipeline has this step in place of prefill and decode. */
  readonly step?: 'prefill-decode';
  readonly phase: 'render' | 'conditional-decode' | 'encode' | 'reserve-endpoint' | 'prefill' | 'decode';
  /** Which of several calls of the phase, by its hash's place in the prompt. */
  readonly item?: number;
  readonly path: string;
  /** All but those of the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Settings {
  readonly use_openai_format?: boolean;
  readonly kv_connector?: string;
  readonly ec_connector?: string;
}

/** What every request of the goldens comes with. */
const CLIENT_HEADERS = [
  ...['Authorization', 'Bearer k', 'X-Custom', '1', 'X-Custom', '2', 'Accept-Encoding', 'gzip', 'Connection', 'x-hop'],
  ...['X-Hop', '1', 'Content-Type', 'text/plain', 'Content-Length', '5', 'X-Request-Id', 'other', 'Prefer', 'wait=1'],
  ...['EPP-Profile', 'encode', 'x-prefiller-host-port', '10.0.0.9:9090', 'X-LLM-D-Disagg-Revision', 'r0'],
  ...['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'tracestate', 'a=1'],
];

/** What a client sends beside these to lead the workers of prefill-decode elsewhere. */
const AGAINST_PAIRS = ['x-llm-d-pin-host-port', '10.0.0.9:8000', 'X-Data-Parallel-Rank', '3'];
const PAIR_STEPS = ['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill-decode'];

const FOLDER = new URL('../fixtures/wire/', import.meta.url);
const GOLDENS = readdirSync(FOLDER).map((file): [name: string, golden: Golden] => [
  file.replace('.json', ''),
  // files of this repository, in the form above
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden,
]);

const benches = new Map<string, Promise<PipelineBench>>();

afterAll(async () => {
  for (const bench of benches.values()) await (await bench).close();
});

function benchFor({ step }: Golden, pipeline: Settings): Promise<PipelineBench> {
  const key = JSON.stringify([step, pipeline]);
  const steps = step === undefined ? {} : { steps: PAIR_STEPS };
  const bench = benches.get(key) ?? PipelineBench.start({ pipeline, ...steps });
  benches.set(key, bench);
  return bench;
}

/** Both values of a switch that a golden leaves open, and two of a connector. */
function settingsOf({ use_openai_format, kv_connector, ec_connector }: Settings): Settings[] {
  const formats = use_openai_format === undefined ? [true, false] : [use_openai_format];
  const kvs = kv_connector === undefined ? ['kv-shared-storage', 'kv-nixl'] : [kv_connector];
  const ecs = ec_connector === undefined ? ['ec-shared-storage', 'ec-nixl'] : [ec_connector];
  return formats.flatMap((format) =>
    kvs.flatMap((kv) => ecs.map((ec) => ({ use_openai_format: format, kv_connector: kv, ec_connector: ec }))),
  );
}

function gatewayOf({ answers }: Golden): Handler {
  return (request, response) => {
    const phase = phaseOf(request);
    if (phase === 'probe') return json(response, '{}', 412);
    if (phase === 'reserve-endpoint') {
      return void response.writeHead(204, { 'x-llm-d-reserved-host-port': '10.0.0.7:8000' }).end();
    }
    const encoded = phase === 'encode' ? encodeAnswer(answers.encode ?? {}, request) : undefined;
    json(response, encoded ?? (phase === 'prefill' ? (answers.prefill ?? '{}') : '{"id":"answer"}'));
  };
}

function encodeAnswer(encoded: Readonly<Record<string, string>>, { body }: RecordedRequest): string {
  const hash = Object.keys(encoded).find((key) => body.includes(`["${key}"]`));
  return encoded[hash ?? (body.includes('AAAA') ? 'aaaa' : 'bbbb')] ?? '{}';
}

/** The calls of the golden's phase, several of them in the order of the prompt. */
function callsOf({ phase }: Golden, { gateway, render }: PipelineBench): readonly RecordedRequest[] {
  if (phase === 'render') return render.requests;
  const name = phase === 'conditional-decode' ? 'probe' : phase;
  const calls = gateway.requests.filter((call) => phaseOf(call) === name);
  return calls.toSorted((a, b) => place(a) - place(b));
}

/** The second image of the goldens has these bytes and that hash. */
function place({ body }: RecordedRequest): number {
  return body.includes('BBBB') || body.includes('"bbbb"') ? 1 : 0;
}

function ownHeaders({ headers }: RecordedRequest): RecordedRequest['headers'] {
  const { host, connection, 'content-length': length, ...own } = headers;
  expect([host, connection, length]).not.toContain(undefined);
  return own;
}

const masked = (text: string): string =>
  text
    .replace(/"bootstrap_room":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/, '"bootstrap_room":"<room>"')
    .replace(/"bootstrap_room":\d{1,19}}$/, '"bootstrap_room":5975098084415727586}');

describe.each(GOLDENS)('the wire: %s', (_, golden) => {
  it.each(settingsOf(golden.pipeline))('with %j', async (pipeline) => {
    const bench = await benchFor(golden, pipeline);
    bench.gateway.handler = gatewayOf(golden);
    bench.render.handler = answering(golden.rendered ?? 'not to be asked');
    bench.gateway.requests.length = bench.render.requests.length = 0;
    const sent = [...CLIENT_HEADERS, ...(golden.step === undefined ? [] : AGAINST_PAIRS)];
    const { headers, trace } = forwardedHeaders(sent, new Set(['epp-profile', 'x-llm-d-disagg-revision']));
    const scope = { id: 'req-1', headers, trace };

    const answer = await bench.run(aRequest({ format: golden.client, body: golden.request, scope }));

    expect(answer).toEqual({ status: 200, body: '{"id":"answer"}' });
    const calls = callsOf(golden, bench);
    expect(calls).toHaveLength(golden.item === undefined ? 1 : 2);
    const call = calls[golden.item ?? 0];
    if (call === undefined) throw new Error('the call is there, says the line above');
    expect(masked(call.body.toString())).toBe(golden.body);
    expect(`${call.method} ${call.path}`).toBe(`POST ${golden.path}`);
    expect(ownHeaders(call)).toEqual(golden.headers);
    expect(call.headers['content-length']).toBe(String(call.body.length));
  });
});

describe('the goldens', () => {
  it('have every phase of every client format', () => {
    const has = new Set(GOLDENS.map(([, { client, phase, step = '' }]) => `${step} ${phase} ${client}`.trim()));
    const formats = ['chat', 'completions', 'responses', 'generate'];
    const expected = [
      ...formats.flatMap((format) => ['conditional-decode', 'prefill', 'decode'].map((phase) => `${phase} ${format}`)),
      ...formats.flatMap((format) =>
        ['reserve-endpoint', 'prefill', 'decode'].map((phase) => `prefill-decode ${phase} ${format}`),
      ),
      ...['render chat', 'render completions', 'render responses', 'encode chat', 'encode responses'],
    ];
    expect([...has].sort()).toEqual(expected.sort());
  });

  it('say where they come from', () => {
    const sources = GOLDENS.map(([, { source }]) => source);
    expect(sources.filter((source) => !/^(wire|decisions|coordinator)\.md, /.test(source))).toEqual([]);
  });
});
