import { describe, expect, it } from '@jest/globals';
import {
  ClientClosedError,
  ClientOfflineError,
  ErrorReply,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
} from 'redis';
import { BrokerError, brokerError } from './broker.error.ts';

const system = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

describe('brokerError', () => {
  it.each([
    [new ClientOfflineError(), 'offline', 'ClientOfflineError'],
    [new ClientClosedError(), 'closed', 'ClientClosedError'],
    [new SocketClosedUnexpectedlyError(), 'closed', 'SocketClosedUnexpectedlyError'],
    [new SocketTimeoutError(1), 'timeout', 'SocketTimeoutError'],
    [new ErrorReply('OOM command not allowed'), 'reply', 'OOM'],
    [new ErrorReply("ERR unknown command 'evalsha', with args beginning with: 'SECRET'"), 'reply', 'ERR'],
    [new ErrorReply('{"messages":"SECRET"}'), 'reply', 'ERR'],
    [system, 'offline', 'ECONNREFUSED'],
    [new TypeError('SECRET'), 'other', 'TypeError'],
    ['SECRET', 'other', 'unknown'],
  ])('of %s is %s, %s', (error, failure, detail) => {
    const own = brokerError(error);
    expect([own.failure, own.detail]).toEqual([failure, detail]);
    expect(own.message).toBe(`redis: ${failure} (${detail})`);
    expect(own.cause).toBeUndefined();
  });

  it('leaves its own as they are', () => {
    const own = new BrokerError('timeout', '5000 ms');
    expect(brokerError(own)).toBe(own);
  });
});
