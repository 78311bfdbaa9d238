import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PickedGateway } from '../testing/picked-gateway.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('a gateway before decode workers with sidecars', () => {
  let gateway: PickedGateway;
  beforeAll(async () => {
    gateway = await PickedGateway.start(true);
  });
  beforeEach(() => {
    gateway.reset();
  });
  afterAll(() => gateway.close());

  it.each([
    { what: 'without a profile', options: { headers: { 'EPP-Profile': '' } } },
    { what: 'with a profile of the client', options: { headers: { 'EPP-Profile': 'encode' } } },
    { what: 'for a list of models', options: { method: 'GET' as const, path: '/v1/models' } },
  ])('asks the picker about a request $what', async ({ options }) => {
    const answer = await gateway.call(options);
    expect([answer.statusCode, await answer.body.text()]).toEqual([200, 'served']);
    expect(gateway.picker.streams).toHaveLength(1);
    const [call] = gateway.simulation.requests.phase('client');
    expect(call).toMatchObject({ server: 'gateway', status: 200 });
  });

  it("sends on a span of its own in the client's trace, and says which in the log", async () => {
    const seen = Promise.withResolvers<unknown>();
    gateway.handle = (incoming, response) => {
      seen.resolve(incoming.headers['traceparent']);
      incoming.resume().once('end', () => response.end());
    };
    await (await gateway.call({ headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } })).body.dump();
    const sent = await seen.promise;
    expect(sent).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    const [call] = gateway.simulation.requests.phase('client');
    expect(call?.facts['traceparent']).toBe(sent);
  });

  it('logs as failed what a worker breaks off', async () => {
    gateway.handle = (_incoming, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => response.socket?.resetAndDestroy());
    };
    await expect(gateway.call().then(({ body }) => body.text())).rejects.toThrow();
    const call = await gateway.simulation.requests.waitFor(({ phase }) => phase === 'client');
    expect(call.outcome).toBe('failed');
  });
});
