import { describe, expect, it } from '@jest/globals';
import { answerHeaders } from './answer-headers.ts';

describe('answerHeaders', () => {
  it('lets what the worker says pass, lists too', () => {
    const headers = {
      'content-type': 'text/event-stream',
      'set-cookie': ['a', 'b'],
      server: 'uvicorn',
      'retry-after': '7',
    };
    expect(answerHeaders(headers, 'id')).toEqual({ ...headers, 'x-request-id': 'id' });
  });

  it('gives the id of the request in place of the one that the worker sent', () => {
    expect(answerHeaders({ 'x-request-id': ['other', 'third'] }, 'id')).toEqual({ 'x-request-id': 'id' });
  });

  it.each([
    'x-prefiller-host-port',
    'x-encoder-hosts-ports',
    'x-llm-d-reserved-host-port',
    'x-peer-topology',
    'x-gateway-destination-endpoint',
    'x-gateway-destination-endpoint-served',
  ])('keeps %s from the client', (name) => {
    expect(answerHeaders({ [name]: '192.0.2.7:8000' }, 'id')).toEqual({ 'x-request-id': 'id' });
  });

  it.each(['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'proxy-authenticate'])(
    'keeps %s from the client: it is for one connection',
    (name) => {
      expect(answerHeaders({ [name]: 'x' }, 'id')).toEqual({ 'x-request-id': 'id' });
    },
  );

  it.each<[string, string | string[]]>([
    ['one line', 'keep-alive, X-Foo ,x-bar'],
    ['several lines', ['keep-alive', 'X-Foo', 'x-bar']],
  ])('keeps what Connection names from the client, in %s', (_name, connection) => {
    const headers = { connection, 'x-foo': '1', 'x-bar': '2', 'x-baz': '3' };
    expect(answerHeaders(headers, 'id')).toEqual({ 'x-baz': '3', 'x-request-id': 'id' });
  });

  it('leaves out what is not there', () => {
    expect(answerHeaders({ 'content-type': undefined }, 'id')).toEqual({ 'x-request-id': 'id' });
  });
});
