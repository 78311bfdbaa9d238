import type { CycleTrace } from './scheduler.service.ts';
import type { ProfileTrace } from './scheduling-profile.ts';

/** One trace that tells two of them, the first one first; undefined where there is neither. */
export function joinedTraces(first: CycleTrace | undefined, second: CycleTrace | undefined): CycleTrace | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    asked: (wanted) => {
      first.asked?.(wanted);
      second.asked?.(wanted);
    },
    profile: (name) => joinedProfiles(first.profile(name), second.profile(name)),
  };
}

function joinedProfiles(first: ProfileTrace, second: ProfileTrace): ProfileTrace {
  return {
    filtered: (...told) => {
      first.filtered(...told);
      second.filtered(...told);
    },
    scored: (...told) => {
      first.scored(...told);
      second.scored(...told);
    },
    picked: (...told) => {
      first.picked(...told);
      second.picked(...told);
    },
    ended: (error) => {
      first.ended?.(error);
      second.ended?.(error);
    },
  };
}
