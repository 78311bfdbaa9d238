import { beforeEach, describe, expect, it } from '@jest/globals';
import { JsonObject, joinRope } from '#json';
import { SglangConcurrentKvConnector } from './sglang.concurrent-kv-connector.ts';

let connector: SglangConcurrentKvConnector;

beforeEach(() => {
  delete process.env['SGLANG_BOOTSTRAP_PORT'];
  connector = new SglangConcurrentKvConnector();
});

function sent(body: string, host = '10.0.0.5'): string {
  return joinRope(
    JsonObject.of(Buffer.from(body))
      .setAll(connector.members({ host, port: 8000 }))
      .toRope(),
  ).toString();
}

describe('kv-sglang for both workers at once', () => {
  it('leads to a room on the bootstrap port of the prefill worker, whatever port its engine has', () => {
    expect(sent('{"a":1}')).toMatch(
      /^\{"a":1,"bootstrap_host":"10\.0\.0\.5","bootstrap_port":8998,"bootstrap_room":\d{1,19}\}$/,
    );
  });

  it("takes the place of a client's room, and removes what chooses ranks or belongs to other connectors", () => {
    const client =
      '{"bootstrap_room":"x","routed_dp_rank":1,"a":1.0,"data_parallel_rank":2,"disagg_prefill_dp_rank":3,' +
      '"bootstrap_host":"evil","kv_transfer_params":{"b":1},"bootstrap_port":1,"routed_dp_rank":4}';
    expect(sent(client, '::1')).toMatch(
      /^\{"bootstrap_room":\d{1,19},"a":1\.0,"bootstrap_host":"\[::1\]","bootstrap_port":8998\}$/,
    );
  });

  it('has a room of its own for each request', () => {
    expect(sent('{}')).not.toBe(sent('{}'));
  });

  it('does not let the header of a rank through', () => {
    expect([...connector.conflictingHeaders]).toEqual(['x-data-parallel-rank']);
  });
});
