import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#config';
import { objectiveList } from './objective-list.ts';

describe('objectiveList', () => {
  it('has a priority for each name', () => {
    expect(objectiveList(['batch=-1', ' chat.team-a=10'])).toEqual({ batch: -1, 'chat.team-a': 10 });
  });

  it.each(['batch', '=1', 'batch=', 'batch=high', 'batch=1.5', 'Batch=1', 'batch=99999999'])('refuses %j', (item) => {
    expect(() => objectiveList(['ok=1', item])).toThrow(ConfigError);
    expect(() => objectiveList(['ok=1', item])).toThrow(`expected name=priority, as in batch=-1, got ${item}`);
  });
});
