import { describe, expect, it } from '@jest/globals';
import { JsonObject, buildObject, joinRope } from '#json';
import { hostPort } from '#protocol';
import type { HostPort } from '#protocol';
import { PrefixPull } from './prefix-pull.ts';
import type { PullSettings } from './prefix-pull.ts';
import { TRANSFER_KEYS } from './transfer-keys.ts';

const pull = (changes: Partial<PullSettings> = {}): PrefixPull =>
  new PrefixPull({
    keys: TRANSFER_KEYS.seed,
    p2pPort: 7777,
    dataParallelSize: 1,
    basePort: 8000,
    podIp: '10.0.0.1',
    ...changes,
  });

function target(text: string): HostPort {
  const found = hostPort(text);
  if (found === undefined) throw new Error('not a target');
  return found;
}

const textOf = (object: JsonObject): string => joinRope(object.toRope()).toString();
const ID = /"kv_request_id":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/;
const listener = (rank: number): { rank: number; port: number; decoder: string } => ({
  rank,
  port: 8000 + rank,
  decoder: 'http://localhost:8200',
});

describe('PrefixPull', () => {
  it.each([
    ['seed', 'p2p'],
    ['current', 'remote_kv_source'],
  ] as const)('names the source as engines of the %s style do', (style, key) => {
    const block = joinRope(buildObject(pull({ keys: TRANSFER_KEYS[style] }).block(target('10.9.9.9:8000')))).toString();
    expect(block.replace(ID, '"kv_request_id":"<id>"')).toBe(
      `{"${key}":{"kv_request_id":"<id>","remote_host":"10.9.9.9","remote_port":7777}}`,
    );
  });

  it('gives every pull an id of its own', () => {
    const [one, other] = [0, 1].map(() => JSON.stringify(pull().block(target('10.9.9.9:8000'))));
    expect(one).not.toBe(other);
  });

  it('writes an address of IPv6 without brackets', () => {
    const block = joinRope(buildObject(pull().block(target('[fd00::9]:8000')))).toString();
    expect(block).toContain('"remote_host":"fd00::9"');
  });

  it("takes the place of a client's own parameters, and leaves the rest of the body alone", () => {
    const body = JsonObject.of(
      Buffer.from('{ "a":9007199254740993, "kv_transfer_params":{"do_remote_decode":true}, "a":{"z":1,"b":2} }'),
    );
    expect(textOf(pull().forDecode(body, target('10.9.9.9:8000'))).replace(ID, '"kv_request_id":"<id>"')).toBe(
      '{ "a":9007199254740993, "kv_transfer_params":' +
        '{"p2p":{"kv_request_id":"<id>","remote_host":"10.9.9.9","remote_port":7777}}, "a":{"z":1,"b":2} }',
    );
  });

  it.each([
    ['10.0.0.5:8002', 1, 7777],
    ['10.0.0.5:8000', 4, 7777],
    ['10.0.0.5:8002', 4, 7779],
    ['10.0.0.5:8003', 4, 7780],
    ['http://10.0.0.5:8002', 4, 7779],
    ['10.0.0.5:7999', 4, 7777],
    ['10.0.0.5:8004', 4, 7777],
  ])('hands the blocks of %s with %d ranks over on port %d', (text, dataParallelSize, port) => {
    expect(pull({ dataParallelSize }).portOf(target(text))).toBe(port);
  });

  it.each([
    ['10.0.0.1:8000', 0, true],
    ['http://10.0.0.1:8000', 0, true],
    ['10.0.0.1:8003', 0, false],
    ['10.0.0.1:8003', 3, true],
    ['10.0.0.2:8000', 0, false],
  ])('tells whether %s is the engine behind rank %d: %s', (text, rank, own) => {
    expect(pull({ dataParallelSize: 4 }).isOwn(target(text), listener(rank))).toBe(own);
  });

  it('takes no source for its own where the pod does not say its address', () => {
    expect(pull({ podIp: undefined }).isOwn(target('10.0.0.1:8000'), listener(0))).toBe(false);
  });
});
