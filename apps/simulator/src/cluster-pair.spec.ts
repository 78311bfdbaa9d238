import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startSimulatedCluster } from './cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { JsonObject } from './control/json-value.ts';
import { HandDriver, textChat } from './testing/hand-driver.ts';
import type { HandReply } from './testing/hand-driver.ts';

const AT = { bootstrap_host: '127.0.0.1', bootstrap_port: 8998, bootstrap_room: 4_611_686_018 };
const PREFILL: JsonObject = { ...textChat, max_tokens: 1, stream: false };
const DECODE: JsonObject = { ...textChat, max_tokens: 4 };

let cluster: SimulatedCluster;
let hand: HandDriver;

async function start(waitMs = 5000): Promise<void> {
  cluster = await startSimulatedCluster({ kv: 'sglang', verify_tokens: false, sglang: { wait_ms: waitMs } });
  hand = new HandDriver(cluster);
}

const prefill = (changes: JsonObject = {}, id = 'hand-1-prefill'): Promise<HandReply> =>
  hand.call('prefill', 'chat', { ...PREFILL, ...AT, ...changes }, { 'x-request-id': id });
const decode = (changes: JsonObject = {}): Promise<HandReply> =>
  hand.call('decode', 'chat', { ...DECODE, ...AT, ...changes });

/** A prefill that has looked at its call and waits for decode. @returns what ends it */
async function waitingPrefill(changes: JsonObject = {}): Promise<() => Promise<unknown>> {
  const gone = new AbortController();
  const ended = fetch(`${cluster.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'hand-1-prefill', 'EPP-Profile': 'prefill' },
    body: JSON.stringify({ ...PREFILL, ...AT, ...changes }),
    signal: gone.signal,
  }).catch(() => undefined);
  while (cluster.requests.of('hand-1-prefill').every(({ facts }) => facts['tokens'] === undefined)) await nextTurn();
  return () => {
    gone.abort();
    return ended;
  };
}

const errorOf = ({ text }: HandReply): string => text;

afterEach(() => cluster.close());

describe('two workers of SGLang that run at once', () => {
  beforeEach(() => start());

  it.each(['prefill', 'decode'])('meet in their room, %s being the first to come', async (first) => {
    const calls = first === 'prefill' ? [prefill(), decode()] : [decode(), prefill()];
    const replies = await Promise.all(calls);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const decoded = cluster.requests.of('hand-1').find(({ phase }) => phase === 'decode');
    expect(decoded?.facts['remote']).toBe(true);
  });

  it('are done with prefill when decode has the prompt, and not before', async () => {
    let isDone = false;
    const prefilled = prefill().finally(() => (isDone = true));
    await hand.render('chat', textChat);
    expect(isDone).toBe(false);
    await decode();
    expect((await prefilled).status).toBe(200);
  });

  it.each([
    { bootstrap_host: '10.0.0.1' },
    { bootstrap_port: 1 },
    { bootstrap_room: 'uuid' },
    { bootstrap_room: -1 },
    { bootstrap_room: undefined },
    { max_tokens: 2 },
    { kv_transfer_params: {} },
  ])('refuse a prefill with %j', async (changes) => {
    expect((await prefill(changes)).status).toBe(400);
  });

  it.each([{ bootstrap_port: 1 }, { bootstrap_room: 1.5 }, { bootstrap_host: undefined }, { kv_transfer_params: {} }])(
    'refuse a decode with %j',
    async (changes) => {
      expect((await decode(changes)).status).toBe(400);
    },
  );

  it.each([{ bootstrap_room: 7 }, { bootstrap_host: '127.0.0.2' }])(
    'refuse the second call of a request that was told another room: %j',
    async (changes) => {
      const leave = await waitingPrefill();
      const refused = await decode(changes);
      expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining('different rooms')]);
      await leave();
    },
  );

  it('have their own prompt each', async () => {
    const leave = await waitingPrefill({ messages: [{ role: 'user', content: 'Another question altogether' }] });
    const refused = await decode();
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining('the prompt is not the one')]);
    await leave();
  });
});

describe('a worker of SGLang whose other one does not come', () => {
  beforeEach(() => start(50));

  it('waits as decode for so long', async () => {
    const alone = await decode();
    expect([alone.status, errorOf(alone)]).toEqual([500, expect.stringContaining('no prefill has handed')]);
  });

  it('waits as prefill for so long', async () => {
    const alone = await prefill();
    expect([alone.status, errorOf(alone)]).toEqual([500, expect.stringContaining('no decode has taken')]);
  });
});
