import { describe, expect, it } from '@jest/globals';
import { aCandidate, aRequest, namesOf } from '../scheduling.fixture.ts';
import { SchedulingError } from '../scheduling.error.ts';
import { EndpointPinScreener } from './endpoint-pin.screener.ts';

const POOL = [
  aCandidate({ name: 'a', address: '10.0.0.1' }),
  aCandidate({ name: 'a-rank-1', address: '10.0.0.1', port: 8001 }),
  aCandidate({ name: 'b', address: '10.0.0.2' }),
  aCandidate({ name: 'six', address: 'fd00::1' }),
  aCandidate({ name: 'named', address: 'pod-7.pool' }),
];

function left(pin?: string): readonly string[] {
  const request = aRequest({ headers: pin === undefined ? {} : { 'x-llm-d-pin-host-port': pin } });
  return namesOf(new EndpointPinScreener().screen(request, POOL));
}

describe('endpoint-pin-screener', () => {
  it('leaves everybody without a pin', () => {
    expect(left()).toEqual(namesOf(POOL));
  });

  it.each([
    ['10.0.0.1:8000', 'a'],
    ['10.0.0.1:8001', 'a-rank-1'],
    [' 10.0.0.2:8000 ', 'b'],
    ['[fd00::1]:8000', 'six'],
    ['[FD00:0:0::1]:8000', 'six'],
    ['Pod-7.pool:8000', 'named'],
  ])('leaves for %j the endpoint %s alone', (pin, name) => {
    expect(left(pin)).toEqual([name]);
  });

  it.each(['10.0.0.1:8002', '10.0.0.3:8000', '169.254.169.254:80', '[fd00::2]:8000', 'localhost:8000', '0.0.0.0:8000'])(
    'leaves nobody for %s, which is not of the pool',
    (pin) => {
      expect(left(pin)).toEqual([]);
    },
  );

  it.each([
    '',
    'a',
    '10.0.0.1',
    '10.0.0.1:',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    ':8000',
    'fd00::1:8000',
    '[10.0.0.1',
    '10.0.0.1:8000/x',
    '10.0.0.1:8000,10.0.0.2:8000',
    'user@10.0.0.1:8000',
    '10.0.0.1:8e3',
  ])('turns the request away for %j, and does not quote it', (pin) => {
    const message = 'x-llm-d-pin-host-port must be ip:port, an IPv6 address in brackets';
    expect(() => left(pin)).toThrow(new SchedulingError('BadRequest', message));
  });
});
