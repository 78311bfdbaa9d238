import { describe, expect, it } from '@jest/globals';
import type { Screener } from './plugin.ts';
import { PluginFailure } from './plugin-failure.ts';
import { aCandidate, aRequest, namesOf } from './scheduling.fixture.ts';
import { SchedulingError } from './scheduling.error.ts';
import { screened } from './screening.ts';

const POOL = ['a', 'b', 'c'].map((name) => aCandidate({ name }));

function keeping(...names: readonly string[]): Screener {
  return { screen: (_request, all) => all.filter(({ endpoint }) => names.includes(endpoint.name)) };
}

function left(...screeners: readonly Screener[]): readonly string[] {
  const named = screeners.map((plugin, index) => ({ name: `s${index}`, plugin }));
  return namesOf(screened(aRequest(), POOL, named));
}

describe('screened', () => {
  it('leaves everybody where nobody screens', () => {
    expect(left()).toEqual(['a', 'b', 'c']);
  });

  it('leaves those that all screeners leave', () => {
    expect(left(keeping('a', 'b'), keeping('b', 'c'))).toEqual(['b']);
  });

  it('turns the request away when nobody is left, and names the screener', () => {
    const message = 'screeners eliminated all endpoint candidates: s1';
    expect(() => left(keeping('a'), keeping('b'))).toThrow(
      new SchedulingError('ServiceUnavailable', message, 'rejected-no-endpoints'),
    );
  });

  it('keeps the code of a screener that turns the request away', () => {
    const screen = (): never => {
      throw new SchedulingError('BadRequest', 'no');
    };
    expect(() => left({ screen })).toThrow(new SchedulingError('BadRequest', 'no'));
  });

  it('names a screener that fails, and nothing of what it threw', () => {
    const screen = (): never => {
      throw new TypeError('the prompt is: hello');
    };
    expect(() => left({ screen })).toThrow(new PluginFailure('s0', undefined));
  });
});
