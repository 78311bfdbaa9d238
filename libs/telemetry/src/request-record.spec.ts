import { describe, expect, it } from '@jest/globals';
import { aRequest } from '#testing';
import { heldBytes } from './held-bytes.fixture.ts';
import { RequestRecord, RequestRecords } from './request-record.ts';
import { aRecord } from './request-record.fixture.ts';

const MIB = 1024 * 1024;

describe('RequestRecord', () => {
  it.each([
    [[], undefined],
    [['replace-media-urls', 'render'], undefined],
    [['render', 'prefill'], undefined],
    [['decode'], 'decode-only'],
    [['render', 'conditional-decode'], 'decode-only'],
    [['encode', 'decode'], 'decode-only'],
    [['render', 'prefill', 'decode'], 'prefill-decode'],
    [['render', 'conditional-decode', 'prefill', 'decode'], 'prefill-decode'],
    [['render', 'encode', 'prefill', 'decode'], 'encode-prefill-decode'],
    [['render', 'prefill-decode'], 'prefill-decode'],
    [['render', 'conditional-decode', 'encode', 'prefill-decode'], 'encode-prefill-decode'],
  ])('that has begun %j went the way of %p (coordinator.md F.1)', (steps, path) => {
    const record = aRecord();
    for (const step of steps) record.steps.push({ step, startedAt: 0 });
    expect(record.executionPath).toBe(path);
  });

  it('went the way of prefill-fallback where decode had to compute the prompt', () => {
    const record = aRecord();
    record.prefillFailed = true;
    for (const step of ['encode', 'prefill', 'decode']) record.steps.push({ step, startedAt: 0 });
    expect(record.executionPath).toBe('prefill-fallback');
  });

  it.each([
    ['chat', 'chat_completions'],
    ['completions', 'completions'],
    ['responses', 'responses'],
    ['generate', 'generate'],
  ] as const)('of the format %s has the route %s', (format, route) => {
    const record = aRecord();
    record.parsed(aRequest({ format }), 'm');
    expect([record.route, record.modelLabel, record.isStream]).toEqual([route, 'm', false]);
  });

  it('keeps the first 200 calls and counts the rest', () => {
    const record = aRecord();
    for (let index = 0; index < 250; index++) record.beginAttempt('encode', `encode[${index}]`, 0);
    expect([record.attempts.length, record.attempts.at(-1)?.step, record.attemptCount]).toEqual([
      200,
      'encode[199]',
      250,
    ]);
  });

  it('keeps little of what a client made long', () => {
    const before = heldBytes();
    const records = Array.from({ length: 64 }, (_, index) => {
      const path = Buffer.alloc(MIB, `/v1/${index}`).toString('latin1');
      const record = new RequestRecord('id', 'GET', path);
      record.parsed(aRequest({ body: `{"model":"${Buffer.alloc(MIB, `m${index} `).toString('latin1')}"}` }), 'other');
      return record;
    });
    expect(heldBytes() - before).toBeLessThan(4 * MIB);
    expect(records.map(({ path }) => path.length)).toEqual(records.map(() => 257));
  });

  it('lets go of the transfer parameters', () => {
    const record = aRecord();
    record.handoff = { params: [Buffer.from('{}')], connector: 'kv-nixl', result: 'complete', receivedAt: 0 };
    record.release();
    expect(record.handoff).toBeUndefined();
  });
});

describe('RequestRecords', () => {
  it('knows the record of a request by its scope', () => {
    const records = new RequestRecords();
    const [own, other] = [aRequest().scope, aRequest().scope];
    const record = aRecord();
    records.set(own, record);
    expect([records.of(own), records.of(other)]).toEqual([record, undefined]);
  });
});
