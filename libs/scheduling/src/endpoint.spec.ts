import { describe, expect, it } from '@jest/globals';
import { hostPort, labelOf } from './endpoint.ts';

describe('hostPort', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1:8000'],
    ['::1', '[::1]:8000'],
    ['worker.local', 'worker.local:8000'],
  ])('writes %s as %s', (address, expected) => {
    expect(hostPort({ address, port: 8000 })).toBe(expected);
  });
});

describe('labelOf', () => {
  it('gives the value of a label', () => {
    expect(labelOf({ labels: { role: 'decode' } }, 'role')).toBe('decode');
  });

  it.each(['role', 'constructor', 'toString', '__proto__'])(
    'has nothing for %s, which the pod does not have',
    (name) => {
      expect(labelOf({ labels: {} }, name)).toBeUndefined();
    },
  );
});
