import { afterEach, describe, expect, it } from '@jest/globals';
import { environment } from './environment.ts';

describe('environment', () => {
  afterEach(() => {
    delete process.env['CONFIG_SPEC_VARIABLE'];
  });

  it('is what the process has at the call, and cannot be changed', () => {
    process.env['CONFIG_SPEC_VARIABLE'] = 'a';
    const taken = environment();
    process.env['CONFIG_SPEC_VARIABLE'] = 'b';
    expect(taken['CONFIG_SPEC_VARIABLE']).toBe('a');
    expect(environment()['CONFIG_SPEC_VARIABLE']).toBe('b');
    expect(Object.isFrozen(taken)).toBe(true);
  });
});
