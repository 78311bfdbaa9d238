import { describe, expect, it } from '@jest/globals';
import { healthOf, listedServices } from './health.rules.ts';

const EXT_PROC = 'envoy.service.ext_proc.v3.ExternalProcessor';

describe('healthOf', () => {
  it.each([
    { service: '', isReady: true, isLeader: undefined, expected: 'SERVING' },
    { service: 'anything', isReady: true, isLeader: undefined, expected: 'SERVING' },
    { service: EXT_PROC, isReady: false, isLeader: undefined, expected: 'NOT_SERVING' },
    { service: 'liveness', isReady: false, isLeader: undefined, expected: 'SERVING' },
    { service: 'liveness', isReady: false, isLeader: false, expected: 'SERVING' },
    { service: 'readiness', isReady: true, isLeader: false, expected: 'NOT_SERVING' },
    { service: EXT_PROC, isReady: true, isLeader: true, expected: 'SERVING' },
    { service: '', isReady: false, isLeader: true, expected: 'NOT_SERVING' },
    { service: 'anything', isReady: true, isLeader: true, expected: 'SERVICE_UNKNOWN' },
  ])('is $expected of "$service", ready: $isReady, leader: $isLeader', ({ service, isReady, isLeader, expected }) => {
    expect(healthOf(service, { isReady, isLeader })).toBe(expected);
  });
});

describe('listedServices', () => {
  it.each([
    [undefined, [EXT_PROC]],
    [false, [EXT_PROC, 'liveness', 'readiness']],
  ])('where leadership is %s', (isLeader, services) => {
    expect(listedServices({ isReady: true, isLeader })).toEqual(services);
  });
});
