import { describe, expect, it } from '@jest/globals';
import { ATTRIBUTES } from '#telemetry';
import { PICKED, SHOWN, SIDECAR, WORKER } from './span-attributes.ts';
import { spanTree } from './span-tree.ts';
import { aSpan } from '../testing/a-span.ts';

const root = aSpan('root', undefined, [0, 320], {
  name: 'POST /v1/chat/completions',
  isServer: true,
  attributes: { [SHOWN.requestId]: 'r-1', [SHOWN.status]: 200, [SHOWN.outcome]: 'completed' },
});

/** Lines of the tree without its heading. */
const lines = (...spans: Parameters<typeof aSpan>[]): string[] =>
  spanTree({ root, spans: spans.map((args) => aSpan(...args)) })
    .split('\n')
    .slice(1);

describe('spanTree', () => {
  it('indents by parentage, in the order in which spans began', () => {
    const tree = lines(
      ['decode', 'pipeline', [160, 320]],
      ['encode', 'pipeline', [40, 160]],
      ['pipeline', 'root', [0, 320]],
      ['second', 'encode', [40, 160], { attributes: { [SHOWN.encodeIndex]: 1, [SHOWN.encodeWidth]: 2 } }],
      ['first', 'encode', [40, 120], { attributes: { [SHOWN.encodeIndex]: 0, [SHOWN.encodeWidth]: 2 } }],
    );
    expect(tree).toEqual([
      'POST /v1/chat/completions    320.0 ms  │████████████████████████████████│  200 · completed',
      '└─ pipeline                  320.0 ms  │████████████████████████████████│',
      '   ├─ encode                 120.0 ms  │    ████████████                │',
      '   │  ├─ first                80.0 ms  │    ████████                    │  item 1 of 2',
      '   │  └─ second              120.0 ms  │    ████████████                │  item 2 of 2',
      '   └─ decode                 160.0 ms  │                ████████████████│',
    ]);
  });

  it.each([
    { from: 0, to: 5, bar: '▌       ' },
    { from: 5, to: 10, bar: '▐       ' },
    { from: 5, to: 25, bar: '▐█▌     ' },
    { from: 12, to: 12, bar: ' ▌      ' },
  ])('draws $from to $to ms of 320 as "$bar…"', ({ from, to, bar }) => {
    expect(lines(['s', 'root', [from, to]])[1]).toContain(`│${bar}`);
  });

  it.each([
    { from: 320, to: 320 },
    { from: 318, to: 400 },
  ])('keeps $from to $to ms inside the bar', ({ from, to }) => {
    expect(lines(['s', 'root', [from, to]])[1]).toMatch(/│ {31}[▐█]│$/);
  });

  it('marks what failed, and says a status once', () => {
    const tree = lines(
      ['prefill', 'root', [0, 10], { error: '503', attributes: { [SHOWN.status]: 503 } }],
      ['decode', 'root', [20, 30], { error: 'upstream_transport', attributes: { [SHOWN.status]: 200 } }],
    );
    expect(tree[1]).toMatch(/│ {2}✗ 503$/);
    expect(tree[2]).toMatch(/│ {2}✗ upstream_transport · 200$/);
  });

  it('says what a decode and a repeated call have to tell', () => {
    const attributes = {
      [SHOWN.status]: 200,
      [SHOWN.resend]: 1,
      [SHOWN.firstChunk]: 0.1314,
      [SHOWN.inputTokens]: 150,
      [SHOWN.outputTokens]: 36,
      [SHOWN.finishReasons]: ['stop', 'length'],
    };
    expect(lines(['decode', 'root', [0, 10], { attributes }])[1]).toMatch(
      /│ {2}200 · try 2 · first token after 131 ms · 150 tokens in · 36 out · stop, length$/,
    );
  });

  it('says which endpoint was picked, and leaves out how', () => {
    const picked = { [PICKED.endpoint]: 'default/decode-1' };
    const tree = lines(
      ['gateway.request', 'root', [0, 9], { isServer: true, attributes: { ...picked, [SHOWN.status]: 200 } }],
      ['request_orchestration', 'gateway.request', [1, 2], { attributes: picked }],
      ['run_scheduler_profile', 'request_orchestration', [1, 2]],
    );
    expect(tree).toHaveLength(3);
    expect(tree[1]).toMatch(/│ {2}200$/);
    expect(tree[2]).toMatch(/└─ request_orchestration .*│ {2}→ default\/decode-1$/);
  });

  it('says what a sidecar made of a request', () => {
    const server = { [SIDECAR.disaggType]: 'encode-prefill-decode', [SIDECAR.trueTtft]: 41.3 };
    const item = { [SIDECAR.encodeIndex]: 1, [SIDECAR.encodeWidth]: 2 };
    const tree = lines(
      ['llm_d.pd_proxy.POST /v1/completions', 'root', [0, 9], { isServer: true, attributes: server }],
      ['encode', 'llm_d.pd_proxy.POST /v1/completions', [1, 2], { attributes: item }],
      [
        'local',
        'root',
        [3, 4],
        { attributes: { [SIDECAR.disaggType]: 'decode-only', [SIDECAR.reason]: 'echo_logprobs' } },
      ],
    );
    expect(tree[1]).toMatch(/│ {2}encode-prefill-decode · first token after 41 ms$/);
    expect(tree[2]).toMatch(/│ {2}item 2 of 2$/);
    expect(tree[3]).toMatch(/│ {2}decode-only · echo_logprobs$/);
  });

  it('says how an async worker let go of a message, and which try that was', () => {
    const process = { [WORKER.attempt]: 2, [WORKER.outcome]: 'delivered', [SHOWN.status]: 200 };
    expect(lines(['process request-sortedset', 'root', [0, 9], { attributes: process }])[1]).toMatch(
      /│ {2}200 · delivered · try 2$/,
    );
  });

  it('is as long as what an async worker had done for the request afterwards', () => {
    const attributes = { [WORKER.outcome]: 'delivered' };
    const tree = lines(['enqueue', 'root', [310, 320]], ['process', 'enqueue', [320, 640], { attributes }]);
    expect(tree[0]).toMatch(/│█{16} {16}│/);
    expect(tree[2]).toMatch(/│ {16}█{16}│/);
  });

  it('begins with the trace and the request', () => {
    expect(spanTree({ root, spans: [] }).split('\n')[0]).toBe('trace t-1  r-1');
  });

  it("knows attributes by the coordinator's names", () => {
    expect(SHOWN).toEqual(Object.fromEntries(Object.keys(SHOWN).map((key) => [key, Reflect.get(ATTRIBUTES, key)])));
  });
});
