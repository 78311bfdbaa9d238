import { describe, expect, it } from '@jest/globals';
import { DecisionLog } from './decision-log.ts';
import { SingleProfileHandler } from './handlers/single-profile.handler.ts';
import { MaxScorePicker } from './pickers/max-score.picker.ts';
import { Scheduler } from './scheduler.service.ts';
import { SchedulingError } from './scheduling.error.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { LoadAwareScorer } from './scorers/load-aware.scorer.ts';
import { QueueScorer } from './scorers/queue.scorer.ts';
import { DecodeFilter } from './filters/role.filters.ts';
import { aCandidate, aRequest, aResult } from './scheduling.fixture.ts';

const PROFILE = new SchedulingProfile(
  'decode',
  [{ name: 'decode-filter', plugin: new DecodeFilter() }],
  [
    { name: 'queue', weight: 2, plugin: new QueueScorer() },
    { name: 'load', weight: 1, plugin: new LoadAwareScorer({ threshold: 10 }) },
  ],
  { name: 'best', plugin: new MaxScorePicker({ maxNumOfEndpoints: 1 }) },
);

const PODS = [
  aCandidate({ name: 'idle', load: { waiting: 0 } }),
  aCandidate({ name: 'busy', load: { waiting: 5 } }),
  aCandidate({ name: 'prefill', labels: { 'llm-d.ai/role': 'prefill' } }),
];

describe('DecisionLog', () => {
  it('keeps what led to a decision', () => {
    const log = new DecisionLog();
    const request = aRequest({ id: 'r-1', targetModel: 'llama' });
    const entry = log.begin(request);
    entry.chosen(
      new Scheduler(new Map([['decode', PROFILE]]), new SingleProfileHandler()).schedule(request, PODS, entry),
    );
    const [record] = log.records();
    expect(record).toEqual({
      requestId: 'r-1',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      targetModel: 'llama',
      primary: 'decode',
      isReserved: false,
      refusal: undefined,
      profiles: [
        {
          profile: 'decode',
          filters: [{ filter: 'decode-filter', left: ['default/idle', 'default/busy'] }],
          scorers: [
            { scorer: 'queue', weight: 2, scores: { 'default/idle': 1, 'default/busy': 0 } },
            { scorer: 'load', weight: 1, scores: { 'default/idle': 0.5, 'default/busy': 0.25 } },
          ],
          totals: { 'default/idle': 2.5, 'default/busy': 0.25 },
          picked: ['default/idle'],
        },
      ],
    });
  });

  it('keeps what led to a refusal', () => {
    const log = new DecisionLog();
    const request = aRequest();
    const entry = log.begin(request);
    const schedule = (): unknown =>
      new Scheduler(new Map([['decode', PROFILE]]), new SingleProfileHandler()).schedule(request, PODS.slice(2), entry);
    expect(schedule).toThrow(SchedulingError);
    entry.refused(new SchedulingError('ResourceExhausted', 'none'));
    expect(log.records()).toMatchObject([
      {
        primary: undefined,
        refusal: 'ResourceExhausted',
        profiles: [{ filters: [{ filter: 'decode-filter', left: [] }], scorers: [], totals: {}, picked: [] }],
      },
    ]);
  });

  it('has the scores as they were, whatever a scorer does with its list', () => {
    const log = new DecisionLog();
    const trace = log.begin(aRequest()).profile('decode');
    const scores = [0.5];
    const [pod] = PODS;
    const candidates = pod === undefined ? [] : [pod];
    trace.scored('reusing', 1, candidates, scores);
    scores[0] = 9;
    trace.picked(
      candidates.map((candidate) => ({ candidate, total: 0.5 })),
      candidates,
    );
    expect(log.records()).toMatchObject([{ profiles: [{ scorers: [{ scores: { 'default/idle': 0.5 } }] }] }]);
  });

  it.each([0, 1, 3, 4, 9])('of %i decisions keeps the last three, the latest one first', (made) => {
    const log = new DecisionLog(3);
    for (let index = 0; index < made; index++)
      log.begin(aRequest({ id: `r-${index}` })).chosen(aResult({ decode: PODS }));
    const expected = [made - 1, made - 2, made - 3].filter((index) => index >= 0);
    expect(log.records().map(({ requestId }) => requestId)).toEqual(expected.map((index) => `r-${index}`));
  });

  it('keeps 256 where nobody says how many', () => {
    const log = new DecisionLog();
    for (let index = 0; index < 1000; index++) log.begin(aRequest());
    expect(log.records()).toHaveLength(256);
  });

  it('keeps no endless names', () => {
    const log = new DecisionLog();
    log.begin(aRequest({ id: 'x'.repeat(10_000), targetModel: 'y'.repeat(10_000) }));
    expect(log.records()).toMatchObject([{ requestId: 'x'.repeat(256), targetModel: 'y'.repeat(256) }]);
  });
});
