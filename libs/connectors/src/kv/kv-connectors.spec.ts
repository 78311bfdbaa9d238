import { afterEach, describe, expect, it } from '@jest/globals';
import { joinRope, rawJson } from '#json';
import type { KvConnector } from './kv-connector.ts';
import { NixlKvConnector } from './nixl.kv-connector.ts';
import { SglangKvConnector } from './sglang.kv-connector.ts';
import { SharedStorageKvConnector } from './shared-storage.kv-connector.ts';

const FROM_NIXL =
  '{"remote_block_ids": [[1, 2], [3]], "do_remote_prefill": false, "remote_engine_id":"e\\u0031", "remote_port": 5600, ' +
  '"remote_num_tokens": 9223372036854775807, "do_remote_decode": true, "x_future": {"b": 1.0, "a": 2}}';

const prefill = (connector: KvConnector): string => joinRope(connector.forPrefill()).toString();
const decode = (connector: KvConnector, fromPrefill?: string): string =>
  joinRope(connector.forDecode(fromPrefill === undefined ? undefined : rawJson(fromPrefill))).toString();

describe.each([
  ['kv-nixl', () => new NixlKvConnector()],
  ['kv-sglang', () => new SglangKvConnector()],
])('%s for decode', (_, make) => {
  it("sends every key and digit of prefill's answer, with its own two flags in their place", () => {
    expect(decode(make(), FROM_NIXL)).toBe(
      FROM_NIXL.replace('"do_remote_prefill": false', '"do_remote_prefill": true').replace(
        '"do_remote_decode": true',
        '"do_remote_decode": false',
      ),
    );
  });

  it('adds the flags behind what prefill gave', () => {
    expect(decode(make(), '{"bootstrap_room": 5975098084415727586}')).toBe(
      '{"bootstrap_room": 5975098084415727586,"do_remote_decode":false,"do_remote_prefill":true}',
    );
  });

  it.each([
    ['gave nothing', undefined],
    ['gave an empty object', '{}'],
  ])('sends the flags alone when prefill %s', (_name, fromPrefill) => {
    expect(decode(make(), fromPrefill)).toBe('{"do_remote_decode":false,"do_remote_prefill":true}');
  });

  it('has one of each flag, however often prefill wrote it', () => {
    expect(decode(make(), '{"do_remote_decode":1,"a":2,"do_remote_decod\\u0065":3,"do_remote_prefill":false}')).toBe(
      '{"a":2,"do_remote_decod\\u0065":false,"do_remote_prefill":true}',
    );
  });
});

describe('kv-nixl', () => {
  it('asks prefill with the flags and four empty fields for the way back', () => {
    expect(prefill(new NixlKvConnector())).toBe(
      '{"do_remote_decode":true,"do_remote_prefill":false,' +
        '"remote_engine_id":null,"remote_block_ids":null,"remote_host":null,"remote_port":null}',
    );
  });

  it('needs what prefill gives', () => {
    expect(new NixlKvConnector().needsHandoff).toBe(true);
  });
});

describe('kv-shared-storage', () => {
  it('asks prefill with the flags', () => {
    expect(prefill(new SharedStorageKvConnector())).toBe('{"do_remote_decode":true,"do_remote_prefill":false}');
  });

  it.each([undefined, '{}', FROM_NIXL])('sends decode the flags alone after %s', (fromPrefill) => {
    expect(decode(new SharedStorageKvConnector(), fromPrefill)).toBe(
      '{"do_remote_decode":false,"do_remote_prefill":true}',
    );
  });

  it('needs nothing that prefill gives', () => {
    expect(new SharedStorageKvConnector().needsHandoff).toBe(false);
  });
});

describe('kv-sglang', () => {
  const before = process.env['SGLANG_BOOTSTRAP_PORT'];

  afterEach(() => {
    if (before === undefined) delete process.env['SGLANG_BOOTSTRAP_PORT'];
    else process.env['SGLANG_BOOTSTRAP_PORT'] = before;
  });

  const room = /"bootstrap_room":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"\}$/;

  it('asks prefill with the flags, the port and a room of its own for each transfer', () => {
    delete process.env['SGLANG_BOOTSTRAP_PORT'];
    const connector = new SglangKvConnector();
    const asked = [prefill(connector), prefill(connector)];
    for (const text of asked) {
      expect(text.replace(room, '"bootstrap_room":ROOM}')).toBe(
        '{"do_remote_decode":true,"do_remote_prefill":false,"bootstrap_port":8998,"bootstrap_room":ROOM}',
      );
    }
    expect(new Set(asked.map((text) => room.exec(text)?.[1])).size).toBe(2);
  });

  it('takes the port of SGLANG_BOOTSTRAP_PORT', () => {
    process.env['SGLANG_BOOTSTRAP_PORT'] = '9100';
    expect(prefill(new SglangKvConnector())).toContain('"bootstrap_port":9100,');
  });

  it('needs nothing that prefill gives', () => {
    expect(new SglangKvConnector().needsHandoff).toBe(false);
  });
});
