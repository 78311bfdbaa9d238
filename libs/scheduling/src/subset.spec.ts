import { describe, expect, it } from '@jest/globals';
import { NO_LOAD } from './endpoint.ts';
import { anEndpoint } from './scheduling.fixture.ts';
import { inSubset } from './subset.ts';

const POOL = [
  anEndpoint({ name: 'one', address: '10.0.0.1', port: 8000 }),
  anEndpoint({ name: 'two-rank-0', address: '10.0.0.2', port: 8000 }),
  anEndpoint({ name: 'two-rank-1', address: '10.0.0.2', port: 8001 }),
  anEndpoint({ name: 'six', address: 'fd00::6', port: 8000 }),
].map((endpoint) => ({ endpoint, load: NO_LOAD }));

describe('inSubset', () => {
  it.each([
    { hint: [], expected: [] },
    { hint: ['10.0.0.1:8000'], expected: ['one'] },
    { hint: ['10.0.0.1'], expected: ['one'] },
    { hint: [' 10.0.0.1:8000 '], expected: ['one'] },
    { hint: ['10.0.0.1:9999'], expected: ['one'] },
    { hint: ['10.0.0.2:8001'], expected: ['two-rank-1'] },
    { hint: ['10.0.0.2'], expected: ['two-rank-0', 'two-rank-1'] },
    { hint: ['10.0.0.2:8000', '10.0.0.2:8001'], expected: ['two-rank-0', 'two-rank-1'] },
    { hint: ['10.0.0.2:9999'], expected: [] },
    { hint: ['[fd00::6]:8000'], expected: ['six'] },
    { hint: ['[fd00::6]'], expected: ['six'] },
    { hint: ['fd00::6:8000'], expected: ['six'] },
    { hint: ['fd00::6'], expected: ['six'] },
    { hint: ['10.0.0.99:8000'], expected: [] },
    { hint: ['10.0.0.99:8000', '10.0.0.1:8000'], expected: ['one'] },
    { hint: ['', ':', ':8000', '[', '[]:1'], expected: [] },
  ])('finds $expected for $hint', ({ hint, expected }) => {
    expect(inSubset(POOL, hint).map(({ endpoint }) => endpoint.name)).toEqual(expected);
  });
});
