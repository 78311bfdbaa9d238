import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BadRequestError, DrainingError, UpstreamConnectionError } from '#foundation';
import type { CoordinatorError } from '#foundation';
import type { ReplyFacts, RequestWatch } from '#pipeline';
import { aRequest } from '#testing';
import { anAnswer } from './request-record.fixture.ts';
import { anArrival, loggedLines, requestTelemetry, samples } from './request-telemetry.fixture.ts';

const OK: ReplyFacts = { end: 'completed', status: 200, bytes: 20, isStream: false };
const STREAM: ReplyFacts = { ...OK, isStream: true };
const PREFIX = 'llm_d_coordinator_';

describe('RequestTelemetry', () => {
  let lines: Record<string, unknown>[] = [];
  beforeEach(() => {
    lines = loggedLines();
  });
  afterAll(() => {
    Logger.overrideLogger(false);
  });

  /** A request that went as it is told. @param isTerminated of a stream whose answer was seen */
  async function served(facts: ReplyFacts, error?: CoordinatorError, isTerminated?: boolean) {
    const parts = requestTelemetry();
    const arrival = anArrival();
    const watch = parts.telemetry.begin(arrival);
    watch.bodyRead(17);
    watch.parsed({ ...aRequest(), scope: arrival.scope });
    const record = parts.records.of(arrival.scope);
    if (record === undefined) throw new Error('a request has a record');
    if (isTerminated !== undefined) record.answer = anAnswer(record, { isTerminated });
    if (error !== undefined) watch.failed(error);
    watch.ended(facts);
    return { ...parts, record };
  }

  const reset = new UpstreamConnectionError('decode', 'reset');
  const OUTCOMES: readonly (readonly [
    what: string,
    facts: ReplyFacts,
    error: CoordinatorError | undefined,
    isTerminated: boolean | undefined,
    outcome: string,
    status: number | undefined,
    errorCode: string | undefined,
    stream: string | undefined,
  ])[] = [
    ['an answer', OK, undefined, undefined, 'completed', 200, undefined, undefined],
    ['a stream that says that it is complete', STREAM, undefined, true, 'completed', 200, undefined, 'completed'],
    ['a stream that ends without saying so', STREAM, undefined, false, 'incomplete', 200, undefined, 'incomplete'],
    [
      'a bad request',
      { ...OK, status: 400 },
      new BadRequestError('invalid_body', 'x'),
      undefined,
      'failed',
      400,
      'bad_request',
      undefined,
    ],
    ['a 4xx of the worker', { ...OK, status: 429 }, undefined, undefined, 'failed', 429, 'upstream_4xx', undefined],
    ['a 5xx of the worker', { ...OK, status: 500 }, undefined, undefined, 'failed', 500, 'upstream_5xx', undefined],
    ['no upstream', { ...OK, status: 502 }, reset, undefined, 'failed', 502, 'upstream_transport', undefined],
    [
      'a client that left early',
      { ...OK, end: 'client_closed', status: undefined },
      undefined,
      undefined,
      'client_closed',
      499,
      'client_closed',
      undefined,
    ],
    [
      'a client that left a stream',
      { ...STREAM, end: 'client_closed' },
      undefined,
      false,
      'client_closed',
      200,
      'client_closed',
      'client_closed',
    ],
    [
      'a client that takes nothing',
      { ...STREAM, end: 'stalled' },
      undefined,
      false,
      'stalled',
      200,
      'client_closed',
      'stalled',
    ],
    [
      'a worker that died',
      { ...STREAM, end: 'upstream_reset' },
      reset,
      false,
      'upstream_reset',
      200,
      'upstream_transport',
      'upstream_reset',
    ],
    ['a drain', { ...STREAM, end: 'drained' }, new DrainingError(), false, 'drained', 200, 'internal', 'drained'],
    [
      'a drain that is told late',
      { ...STREAM, end: 'drained' },
      undefined,
      false,
      'drained',
      200,
      'internal',
      'drained',
    ],
  ];

  it.each(OUTCOMES)(
    'takes %s for what it is',
    async (_what, facts, error, isTerminated, outcome, status, errorCode, stream) => {
      const { metrics, record } = await served(facts, error, isTerminated);
      expect([record.outcome, record.status]).toEqual([outcome, status]);
      const errors = errorCode === undefined ? {} : { [`model_name="m",error_code="${errorCode}"`]: 1 };
      expect(await samples(metrics, `${PREFIX}request_error_total`)).toEqual(errors);
      const outcomes = stream === undefined ? {} : { [`outcome="${stream}"`]: 1 };
      expect(await samples(metrics, `${PREFIX}stream_outcome_total`)).toEqual(outcomes);
      const [genAi = ''] = Object.keys(await samples(metrics, 'gen_ai_server_request_duration_seconds_count'));
      expect(genAi).toContain(`error_type="${errorCode ?? (outcome === 'completed' ? '' : outcome)}"`);
      expect(lines.at(-1)).toMatchObject({ body: 'request finished', outcome, status });
    },
  );

  it('counts a request once everywhere', async () => {
    const { metrics } = await served(OK);
    for (const [name, expected] of [
      ['request_total', { 'model_name="m"': 1 }],
      ['request_duration_seconds_count', { 'model_name="m"': 1 }],
      ['request_size_bytes_sum', { 'model_name="m"': 17 }],
      ['response_size_bytes_sum', { 'stream="false"': 20 }],
      ['request_running', { 'model_name="unknown"': 0, 'model_name="m"': 0 }],
    ] as const) {
      expect([name, await samples(metrics, PREFIX + name)]).toEqual([name, expected]);
    }
  });

  it('counts a request that never becomes one under unknown', async () => {
    const { metrics, telemetry } = requestTelemetry();
    const watch = telemetry.begin(anArrival());
    expect(await samples(metrics, `${PREFIX}request_running`)).toEqual({ 'model_name="unknown"': 1 });
    watch.bodyRead(3);
    watch.failed(new BadRequestError('invalid_body', 'x'));
    watch.ended({ ...OK, status: 400 });
    expect(await samples(metrics, `${PREFIX}request_total`)).toEqual({ 'model_name="unknown"': 1 });
    expect(await samples(metrics, `${PREFIX}request_running`)).toEqual({ 'model_name="unknown"': 0 });
    expect(await samples(metrics, `${PREFIX}request_error_total`)).toEqual({
      'model_name="unknown",error_code="bad_request"': 1,
    });
  });

  it('moves a request in flight from unknown to its model', async () => {
    const { metrics, telemetry } = requestTelemetry();
    telemetry.begin(anArrival()).parsed(aRequest());
    expect(await samples(metrics, `${PREFIX}request_running`)).toEqual({
      'model_name="unknown"': 0,
      'model_name="m"': 1,
    });
  });

  it('shows a request in flight, and afterwards among the finished', async () => {
    const { recorder, telemetry } = requestTelemetry();
    const watch = telemetry.begin(anArrival());
    expect([recorder.inFlight, recorder.find('req-1')]).toEqual([1, [expect.objectContaining({ outcome: undefined })]]);
    watch.ended(OK);
    expect([recorder.inFlight, recorder.find('req-1')]).toEqual([
      0,
      [expect.objectContaining({ outcome: 'completed' })],
    ]);
  });

  it('says two lines of a request, as it comes and as it has gone', async () => {
    await served({ ...OK, end: 'client_closed' });
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ body: 'request received', severity_text: 'INFO', 'x-request-id': 'req-1', logger: 'server' },
        ...{ route: 'chat_completions', path: '/v1/chat/completions', model: 'm', stream: false },
      }),
      expect.objectContaining({
        ...{ body: 'request finished', severity_text: 'INFO', 'x-request-id': 'req-1', logger: 'server' },
        ...{ route: 'chat_completions', model: 'm', outcome: 'client_closed', upstream_attempts: 0 },
      }),
    ]);
  });

  it('keeps the first reason for a failure', async () => {
    const { records, telemetry } = requestTelemetry();
    const arrival = anArrival();
    const watch: RequestWatch = telemetry.begin(arrival);
    watch.failed(reset);
    watch.failed(new DrainingError());
    expect(records.of(arrival.scope)?.error).toEqual({ label: 'upstream_transport', code: 'upstream_unreachable' });
  });

  describe('of a path that is passed through', () => {
    it('has no inference metrics and no line at the default level', async () => {
      const { metrics, recorder, telemetry } = requestTelemetry();
      const watch = telemetry.begin(anArrival({ method: 'GET', path: '/v1/models', route: undefined }));
      watch.bodyRead(0);
      watch.failed(new BadRequestError('not_found', 'x'));
      watch.ended({ ...OK, status: 404 });
      for (const name of [
        'request_total',
        'request_error_total',
        'request_running',
        'request_duration_seconds_count',
      ]) {
        expect(await samples(metrics, PREFIX + name)).toEqual({});
      }
      expect(lines).toEqual([]);
      expect(recorder.find('req-1')).toEqual([
        expect.objectContaining({ path: '/v1/models', outcome: 'failed', status: 404 }),
      ]);
    });
  });
});
