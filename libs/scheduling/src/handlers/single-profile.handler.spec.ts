import { describe, expect, it } from '@jest/globals';
import { NoTargetError, SchedulingError } from '../scheduling.error.ts';
import { aCandidate, aProfileResult, aRequest } from '../scheduling.fixture.ts';
import { SingleProfileHandler } from './single-profile.handler.ts';

const HANDLER = new SingleProfileHandler();

describe('single-profile-handler', () => {
  it('runs its profile once', () => {
    expect(HANDLER.next(aRequest(), ['only'], new Map())).toEqual(['only']);
    expect(HANDLER.next(aRequest(), ['only'], new Map([['only', undefined]]))).toEqual([]);
  });

  it('takes what the profile found', () => {
    const found = aProfileResult([aCandidate()]);
    expect(HANDLER.conclude(aRequest(), new Map([['only', found]]), [])).toEqual({
      primary: 'only',
      profiles: new Map([['only', found]]),
    });
  });

  it('says which profile failed, with the code of what failed in it', () => {
    const full = new SchedulingError('ResourceExhausted', 'none is left', 'rejected-saturated');
    const conclude = (): unknown => HANDLER.conclude(aRequest(), new Map([['only', undefined]]), [full]);
    expect(conclude).toThrow(
      expect.objectContaining({
        code: 'ResourceExhausted',
        droppedReason: 'rejected-saturated',
        message: "failed to run scheduler profile 'only'\nnone is left",
      }),
    );
  });

  it('has no code for what has none', () => {
    const conclude = (): unknown =>
      HANDLER.conclude(aRequest(), new Map([['only', undefined]]), [new Error('plugin a failed')]);
    expect(conclude).toThrow(new NoTargetError("failed to run scheduler profile 'only'\nplugin a failed"));
  });
});
