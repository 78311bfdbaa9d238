import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FlightRecorder } from './flight-recorder.ts';
import { aRecord, anAnswer } from './request-record.fixture.ts';

const line = z.looseObject({ 'x-request-id': z.string() });
const listing = z.object({ in_flight: z.array(line), finished: z.array(line) });

function idsOf(recorder: FlightRecorder): { inFlight: string[]; finished: string[] } {
  const { in_flight, finished } = listing.parse(recorder.list());
  return {
    inFlight: in_flight.map((one) => one['x-request-id']),
    finished: finished.map((one) => one['x-request-id']),
  };
}

/** A recorder that has seen so many requests come and go. */
function after(count: number): FlightRecorder {
  const recorder = new FlightRecorder();
  for (let index = 0; index < count; index++) {
    const record = aRecord(`r${index}`);
    recorder.began(record);
    recorder.finished(record);
  }
  return recorder;
}

describe('FlightRecorder', () => {
  it('shows the requests in flight and those that have finished, the latest first', () => {
    const recorder = new FlightRecorder();
    const [first, second, third, fourth] = [aRecord('1'), aRecord('2'), aRecord('3'), aRecord('4')];
    for (const record of [first, second, third, fourth]) recorder.began(record);
    recorder.finished(third);
    recorder.finished(first);
    expect(idsOf(recorder)).toEqual({ inFlight: ['4', '2'], finished: ['1', '3'] });
    expect(recorder.inFlight).toBe(2);
  });

  it.each([0, 1, 255, 256, 257, 600])('keeps the last 256 of %i requests', (count) => {
    const expected = Array.from({ length: Math.min(count, 256) }, (_, index) => `r${count - 1 - index}`);
    const recorder = after(count);
    expect(idsOf(recorder)).toEqual({ inFlight: [], finished: expected });
    expect(recorder.inFlight).toBe(0);
  });

  it('forgets the timeline of a request that is no longer among them', () => {
    const recorder = after(257);
    expect([recorder.find('r0'), recorder.find('r1')]).toEqual([
      [],
      [expect.objectContaining({ 'x-request-id': 'r1' })],
    ]);
  });

  it('lists at most a thousand in flight, the latest ones, and counts all', () => {
    const recorder = new FlightRecorder();
    for (let index = 0; index < 1200; index++) recorder.began(aRecord(`r${index}`));
    const { inFlight } = idsOf(recorder);
    expect([inFlight.length, inFlight[0], inFlight.at(-1), recorder.inFlight]).toEqual([1000, 'r1199', 'r200', 1200]);
  });

  it('finds every request of an id that a client used more than once, the latest first', () => {
    const recorder = new FlightRecorder();
    const [running, ...done] = ['/1', '/2', '/3'].map((path) => aRecord('same', path));
    for (const record of done) {
      recorder.began(record);
      recorder.finished(record);
    }
    if (running !== undefined) recorder.began(running);
    recorder.began(aRecord('other'));
    expect(recorder.find('same')).toEqual(['/1', '/3', '/2'].map((path) => expect.objectContaining({ path })));
  });

  it('has a timeline of steps and calls, in milliseconds from the start of the request', () => {
    const record = aRecord();
    record.steps.push(
      { step: 'prefill', startedAt: 1, endedAt: 2.00049, outcome: 'next' },
      { step: 'decode', startedAt: 3 },
    );
    const call = {
      upstream: 'prefill',
      step: 'prefill',
      attempt: 0,
      startedAt: 1.25,
      headAt: 1.5,
      endedAt: 1.75,
      status: 200,
    };
    record.attempts.push(call, {
      upstream: 'decode',
      step: 'decode',
      attempt: 1,
      startedAt: 3.5,
      error: 'upstream_transport',
    });
    record.attemptCount = 2;
    record.encodeWidth = 3;
    record.bodyBytes = 17;
    record.answer = anAnswer(record);
    const recorder = new FlightRecorder();
    recorder.began(record);
    expect(recorder.find('req-1')).toEqual([
      expect.objectContaining({
        started: new Date(record.startedWall).toISOString(),
        execution_path: 'prefill-decode',
        encode_width: 3,
        body_bytes: 17,
        finish_reasons: ['stop'],
        output_events: 2,
        upstream_attempts: 2,
        steps: [
          { step: 'prefill', outcome: 'next', from_ms: 1, to_ms: 2 },
          { step: 'decode', outcome: undefined, from_ms: 3 },
        ],
        calls: [
          {
            upstream: 'prefill',
            step: 'prefill',
            attempt: 0,
            status: 200,
            error: undefined,
            from_ms: 1.25,
            head_ms: 1.5,
            to_ms: 1.75,
          },
          {
            upstream: 'decode',
            step: 'decode',
            attempt: 1,
            status: undefined,
            error: 'upstream_transport',
            from_ms: 3.5,
          },
        ],
      }),
    ]);
  });
});
