import { describe, expect, it } from '@jest/globals';
import { FakeUpstream, json } from '#testing';
import { RequestLog } from '../control/request-log.ts';
import { runQueueDemo } from './queue-demo.ts';

describe('runQueueDemo', () => {
  it('says which exchange failed, and how', async () => {
    const gateway = await FakeUpstream.start((_request, response) => {
      json(response, { error: { message: 'no', code: 'ENQUEUE_FAILED' } }, 503);
    });
    let written = '';
    try {
      const stack = { url: gateway.url, requests: new RequestLog() };
      await expect(runQueueDemo(stack, 'm', (text) => (written += text))).rejects.toThrow(
        'POST /v1/chat/completions enqueue was answered 503, not 202: {"error"',
      );
      expect(written).toContain('   POST /v1/chat/completions enqueue → 503 ENQUEUE_FAILED\n');
    } finally {
      await gateway.close();
    }
  });

  it('asks again while the result is not there, and tells of both', async () => {
    const answers = [202, 202, 202, 410];
    const gateway = await FakeUpstream.start((_request, response) => {
      const status = answers.shift() ?? 500;
      json(response, status === 202 ? { id: 'demo-1', status: 'pending' } : { error: { code: 'UNKNOWN' } }, status);
    });
    let written = '';
    try {
      const stack = { url: gateway.url, requests: new RequestLog() };
      await expect(runQueueDemo(stack, 'm', (text) => (written += text))).rejects.toThrow('was answered 410, not 200');
      expect(written.split('\n').slice(2)).toEqual([
        '   POST /v1/chat/completions enqueue → 202 pending',
        '   GET /v1/requests/demo-1 → 202 pending',
        '   GET /v1/requests/demo-1 → 410 UNKNOWN',
        '',
      ]);
      const [submitted, ...fetches] = gateway.requests;
      expect(submitted?.headers).toMatchObject({ 'x-llm-d-async-mode': 'enqueue', 'x-request-id': 'demo-1' });
      expect(fetches.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    } finally {
      await gateway.close();
    }
  });
});
