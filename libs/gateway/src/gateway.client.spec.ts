import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeUpstream, RawUpstream, cleanup } from '#testing';
import { GatewayClient } from './gateway.client.ts';
import type { PhaseCall } from './gateway.client.ts';
import type { GatewayConfig } from './gateway.config.ts';
import { aClient, aConfig, aScope, failureOf, textOf } from './upstream.fixture.ts';

let gateway: FakeUpstream;
const later = cleanup();

beforeEach(async () => {
  gateway = await FakeUpstream.start((_request, response) => void response.end('ok'));
});

afterEach(async () => {
  await gateway.close();
});

function client(changes: Partial<GatewayConfig> = {}, address = gateway.url): GatewayClient {
  const config = aConfig(address, changes);
  const upstream = aClient(config);
  later(() => upstream.onApplicationShutdown());
  return new GatewayClient(config, upstream);
}

function aPhaseCall(changes: Partial<PhaseCall> = {}): PhaseCall {
  return {
    scope: aScope(),
    upstream: 'prefill',
    step: 'prefill',
    profile: 'prefill',
    path: '/v1/chat/completions',
    body: [Buffer.from('{"a":1}')],
    ...changes,
  };
}

/** Every value that the gateway got of a header in a request. */
function values(name: string, request = gateway.requests[0]): string[] {
  const raw = request?.rawHeaders ?? [];
  return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name);
}

describe('GatewayClient', () => {
  describe('a phase call', () => {
    it('posts the body to the path, behind the path of the address', async () => {
      await textOf(await client({}, `${gateway.url}/base`).call(aPhaseCall()));
      expect(gateway.requests).toMatchObject([{ method: 'POST', path: '/base/v1/chat/completions' }]);
      expect(gateway.requests[0]?.body.toString()).toBe('{"a":1}');
    });

    it.each(['encode', 'prefill', 'decode'] as const)('says that it is %s, once', async (profile) => {
      await textOf(await client().call(aPhaseCall({ profile })));
      expect(values('epp-profile')).toEqual([profile]);
    });

    it('says so in the header that the deployment names, and in no other', async () => {
      await textOf(await client({ profile_header: 'x-llm-d-epp-profile' }).call(aPhaseCall()));
      expect(values('x-llm-d-epp-profile')).toEqual(['prefill']);
      expect(values('epp-profile')).toEqual([]);
    });

    it('has one content type, one request id and one length, whatever the client sent', async () => {
      await textOf(
        await client().call(aPhaseCall({ scope: aScope({ id: 'abc', headers: ['authorization', 'Bearer k'] }) })),
      );
      expect(values('content-type')).toEqual(['application/json']);
      expect(values('x-request-id')).toEqual(['abc']);
      expect(values('content-length')).toEqual(['7']);
      expect(values('authorization')).toEqual(['Bearer k']);
    });

    it('goes out under the id of its own, where it has one', async () => {
      await textOf(await client().call(aPhaseCall({ scope: aScope({ id: 'abc' }), requestId: 'abc-prefill' })));
      expect(values('x-request-id')).toEqual(['abc-prefill']);
    });

    it('carries the headers that an earlier step made of those of the client, in their place', async () => {
      const scope = aScope({ headers: ['x-objective', 'best', 'x-kept', '1'] });
      await textOf(await client().call(aPhaseCall({ scope, clientHeaders: ['x-kept', '1', 'x-tenant', 'a'] })));
      expect([values('x-objective'), values('x-kept'), values('x-tenant')]).toEqual([[], ['1'], ['a']]);
    });

    it('carries what its step adds', async () => {
      await textOf(
        await client().call(aPhaseCall({ headers: ['prefer', 'if-available', 'x-llm-d-disagg-revision', '7'] })),
      );
      expect(values('prefer')).toEqual(['if-available']);
      expect(values('x-llm-d-disagg-revision')).toEqual(['7']);
    });

    it('follows a signal of its own where it has one', async () => {
      const silent = await RawUpstream.start(() => undefined);
      later(() => silent.close());
      const sibling = new AbortController();
      const failed = failureOf(client({}, silent.url).call(aPhaseCall({ signal: sibling.signal })));
      sibling.abort(new Error('a sibling failed'));
      expect(await failed).toMatchObject({ message: 'a sibling failed' });
    });
  });

  describe('a passthrough', () => {
    it('keeps method, path and query, and leaves the path of the address out', async () => {
      const call = { scope: aScope(), method: 'PUT', path: '/v1/models/x?y=%2F', body: undefined, headers: [] };
      await textOf(await client({}, `${gateway.url}/base`).passThrough(call));
      expect(gateway.requests).toMatchObject([{ method: 'PUT', path: '/v1/models/x?y=%2F' }]);
    });

    it('goes out as decode, under the request id, with the content type of the client', async () => {
      const scope = aScope({ id: 'abc', headers: ['content-type', 'text/plain'] });
      await textOf(
        await client().passThrough({ scope, method: 'POST', path: '/v1/x', body: [Buffer.from('text')], headers: [] }),
      );
      expect(values('epp-profile')).toEqual(['decode']);
      expect(values('x-request-id')).toEqual(['abc']);
      expect(values('content-type')).toEqual(['text/plain']);
    });
  });

  describe('time limits', () => {
    /** A gateway that gives a head when asked to, and then nothing. */
    async function silent(head: string): Promise<string> {
      const upstream = await RawUpstream.start(async (peer) => {
        await peer.until('\r\n\r\n');
        if (head !== '') peer.send(head);
      });
      later(() => upstream.close());
      return upstream.url;
    }

    const limits = { timeout: 250, decode_timeout: 250, stream_idle_timeout: 60 };
    /** Where the head is to come in time, however busy the machine is. */
    const patient = { ...limits, timeout: 4_000, decode_timeout: 4_000 };

    it.each<{ name: string; call: Partial<PhaseCall>; setting: string }>([
      { name: 'encode', call: { profile: 'encode' }, setting: 'gateway.timeout' },
      { name: 'prefill', call: { profile: 'prefill' }, setting: 'gateway.timeout' },
      { name: 'a decode that streams', call: { profile: 'decode' }, setting: 'gateway.timeout' },
      {
        name: 'a decode that does not',
        call: { profile: 'decode', isBuffered: true },
        setting: 'gateway.decode_timeout',
      },
    ])('the head of $name has $setting', async ({ call, setting }) => {
      const failure = await failureOf(client(limits, await silent('')).call(aPhaseCall(call)));
      expect(failure).toMatchObject({ message: `prefill did not answer in time (${setting})` });
    });

    it.each<{ profile: PhaseCall['profile']; setting: string }>([
      { profile: 'encode', setting: 'gateway.timeout' },
      { profile: 'prefill', setting: 'gateway.timeout' },
      { profile: 'decode', setting: 'gateway.stream_idle_timeout' },
    ])('a silence in the answer of $profile has $setting', async ({ profile, setting }) => {
      const chosen = setting === 'gateway.timeout' ? limits : patient;
      const gatewayClient = client(chosen, await silent('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'));
      const reply = await gatewayClient.call(aPhaseCall({ profile }));
      expect(await failureOf(textOf(reply))).toMatchObject({ message: `prefill did not answer in time (${setting})` });
    });

    it('a passthrough has those of a decode that does not stream', async () => {
      const call = { scope: aScope(), method: 'GET', path: '/', body: undefined, headers: [] };
      const head = await failureOf(client(limits, await silent('')).passThrough(call));
      expect(head).toMatchObject({ message: 'passthrough did not answer in time (gateway.decode_timeout)' });
      const url = await silent('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n');
      const silence = await failureOf(textOf(await client(patient, url).passThrough(call)));
      expect(silence).toMatchObject({ message: 'passthrough did not answer in time (gateway.stream_idle_timeout)' });
    });
  });

  it('knows in bytes how large an answer may be', () => {
    expect(client({ max_response_size: 2 }).maxResponseBytes).toBe(2 * 1024 * 1024);
  });
});
