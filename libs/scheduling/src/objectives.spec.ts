import { describe, expect, it } from '@jest/globals';
import { Objectives } from './objectives.ts';

describe('Objectives', () => {
  it.each([undefined, '', 'nobody', '__proto__'])('have priority 0 for %j', (name) => {
    expect(new Objectives({ batch: -1 }).priorityOf(name)).toBe(0);
  });

  it('have the priorities that are given, and those that are found before them', () => {
    const objectives = new Objectives({ batch: -1, chat: 5 });
    objectives.replace(new Map([['batch', -10]]));
    expect([objectives.priorityOf('batch'), objectives.priorityOf('chat')]).toEqual([-10, 5]);
  });

  it('forget what is no longer found', () => {
    const objectives = new Objectives({ batch: -1 });
    objectives.replace(new Map([['night', -2]]));
    objectives.replace(new Map());
    expect([objectives.priorityOf('night'), objectives.priorityOf('batch')]).toEqual([0, -1]);
  });
});
