import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BrokerKeys } from '#broker';
import { readEnvelope } from './received-envelope.ts';

const TOKEN = 'ab'.repeat(16);
const PAYLOAD = '{"model" : "m","n":1.0}';

/** An envelope as the async broker's step writes it. */
function text({ internal = '', data = '', id = 'team-a:job-1' } = {}): string {
  return `{"internal":{"request_token":"${TOKEN}"${internal}},"request_kind":"redis","data":{"id":"${id}","created":10,"deadline":20,"payload":${PAYLOAD},"metadata":{"userid":"team-a"},"endpoint":"/v1/completions"${data}}}`;
}

const read = (member: string, keys = new BrokerKeys('quota:')) => readEnvelope(Buffer.from(member), keys);

describe('readEnvelope', () => {
  it('reads what the step writes, and leaves the payload as it is', async () => {
    const names = ',"request_queue_name":"q","result_queue_name":"results:req:team-a:job-1"';
    const envelope = await read(text({ internal: names, data: `${names},"headers":{"x-a":"1"}` }));
    expect(envelope).toMatchObject({
      keys: { tenant: 'team-a', id: 'job-1', mailbox: 'results:req:team-a:job-1' },
      token: TOKEN,
      created: 10,
      deadline: 20,
      headers: { 'x-a': '1' },
      endpoint: '/v1/completions',
      trace: {},
    });
    expect('payload' in envelope && envelope.payload.toString()).toBe(PAYLOAD);
  });

  it('reads one that names no mailbox, no headers and no metadata', async () => {
    expect(await read(text().replace(',"metadata":{"userid":"team-a"}', ''))).toMatchObject({ headers: {}, trace: {} });
  });

  it('knows the hash tag of a cluster', async () => {
    const keys = new BrokerKeys('quota:', 'q');
    expect(await read(text({ id: '{q}:team-a:job-1' }), keys)).toMatchObject({ keys: { tenant: 'team-a' } });
    expect(await read(text({ id: '{other}:team-a:job-1' }), keys)).toEqual({ problem: 'id', owner: undefined });
    expect(await read(text({ id: 'team-a:job-1' }), keys)).toEqual({ problem: 'id', owner: undefined });
  });

  it('says whose it is that has a fault of its own, and not whose mailbox it names', async () => {
    expect(await read(text().replace('/v1/completions', '/v1/other'))).toMatchObject({
      problem: 'endpoint',
      owner: { token: TOKEN, keys: { id: 'job-1' } },
    });
    expect(await read(text({ data: ',"result_queue_name":"results:req:team-b:job-9"' }))).toEqual({
      problem: 'result_queue_name',
      owner: undefined,
    });
  });

  it('counts the last of a key that is repeated', async () => {
    expect(await read(text({ data: ',"id":"team-b:job-9"' }))).toMatchObject({ keys: { tenant: 'team-b' } });
  });

  it('makes something of any bytes', async () => {
    const beginning = Buffer.from('{"internal":{');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        expect(await readEnvelope(Buffer.concat([beginning, bytes]), new BrokerKeys('quota:'))).toHaveProperty(
          'problem',
        );
      }),
    );
  });
});
