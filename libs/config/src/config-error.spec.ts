import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.ts';

describe('ConfigError', () => {
  it('lists its problems in two columns', () => {
    const error = new ConfigError('config/coordinator.yaml is invalid', [
      { path: 'pipeline.steps[1].params.max_paralel', message: 'unknown key (did you mean max_parallel?)' },
      { path: 'gateway.timeout', message: 'expected a duration such as "30s", got 30' },
    ]);
    expect(error.message).toBe(
      [
        'config/coordinator.yaml is invalid:',
        '  pipeline.steps[1].params.max_paralel  unknown key (did you mean max_parallel?)',
        '  gateway.timeout                       expected a duration such as "30s", got 30',
      ].join('\n'),
    );
  });

  it('indents the further lines of a message', () => {
    const error = new ConfigError('x is invalid', [{ path: 'a.b', message: 'one\ntwo' }]);
    expect(error.message).toBe('x is invalid:\n  a.b  one\n       two');
  });

  it('is its summary alone when there are no problems to list', () => {
    const cause = new Error('ENOENT');
    const error = new ConfigError('reading config: x.yaml: no such file', [], { cause });
    expect(error).toMatchObject({
      message: 'reading config: x.yaml: no such file',
      name: 'ConfigError',
      problems: [],
      cause,
    });
  });
});
