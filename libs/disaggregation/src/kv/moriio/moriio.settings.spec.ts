import { describe, expect, it } from '@jest/globals';
import { NO_MORIIO } from '../nixl.fixture.ts';
import { checkMoriio } from './moriio.settings.ts';
import type { MoriioSettings } from './moriio.settings.ts';

const TWO = ['10.0.0.1', '10.0.0.2'];

describe('checkMoriio', () => {
  it.each<[string, Partial<MoriioSettings>]>([
    ['nothing', {}],
    ['write mode', { writeMode: true, podIp: '10.0.0.1' }],
    ['both modes', { writeMode: true, parallelDispatch: true, podIp: '10.0.0.1' }],
    ['one host, whatever the ranks are', { remoteHosts: ['a'], decodeHosts: ['b'], dpSize: 3, dpSizeLocal: 2 }],
    ['a host for each pod', { remoteHosts: TWO, decodeHosts: TWO, dpSize: 16, dpSizeLocal: 8 }],
  ])('has nothing against %s', (_, settings) => {
    expect(checkMoriio({ ...NO_MORIIO, ...settings })).toEqual([]);
  });

  it.each<[string, Partial<MoriioSettings>, RegExp]>([
    ['write mode without an address of the pod', { writeMode: true }, /--moriio-write-mode .*--moriio-local-pod-ip/],
    ['parallel dispatch without write mode', { parallelDispatch: true }, /--moriio-parallel-dispatch .*write-mode/],
    ['remote hosts without ranks of a pod', { remoteHosts: TWO }, /--moriio-remote-hosts .*requires dp-size-local > 0/],
    ['decode hosts without ranks of a pod', { decodeHosts: TWO }, /--moriio-decode-hosts .*requires dp-size-local > 0/],
    [
      'ranks that are no multiple of those of a pod',
      { remoteHosts: TWO, dpSize: 9, dpSizeLocal: 8 },
      /--moriio-remote-hosts.*must be divisible/,
    ],
    [
      'a host too many',
      { decodeHosts: TWO, dpSize: 8, dpSizeLocal: 8 },
      /--moriio-decode-hosts.*count of hosts must match.*= 1, got 2/,
    ],
  ])('names the flag of %s', (_, settings, problem) => {
    expect(checkMoriio({ ...NO_MORIIO, ...settings })).toEqual([expect.stringMatching(problem)]);
  });

  it('tells of all of them at once', () => {
    const problems = checkMoriio({ ...NO_MORIIO, parallelDispatch: true, remoteHosts: TWO, decodeHosts: TWO });
    expect(problems).toHaveLength(3);
  });
});
