import { describe, expect, it } from '@jest/globals';
import { PathNames } from './path-names.ts';

describe('PathNames', () => {
  it.each<[PropertyKey[], string]>([
    [['gateway', 'timeout'], 'gateway.timeout'],
    [['pipeline', 'steps', 1, 'params', 'max_parallel'], 'pipeline.steps[1].params.max_parallel'],
    [['headers', 'x-a'], 'headers.x-a'],
    [['models', 'meta/llama 3.1'], 'models["meta/llama 3.1"]'],
    [['x\n'.repeat(100)], `[${JSON.stringify('x\n'.repeat(40))}]`],
    [[], '(top level)'],
  ])('writes %j as %s', (path, text) => {
    expect(new PathNames().render(path)).toBe(text);
  });

  it('calls a place by the variable or flag that set it', () => {
    const names = new PathNames();
    names.add(['gateway', 'timeout'], 'COORDINATOR_GATEWAY_TIMEOUT', true);
    names.add(['gateway', 'retries'], 'COORDINATOR_GATEWAY_RETRIES', false);
    names.add(['list'], '--list', true);
    expect(names.render(['gateway', 'timeout'])).toBe('COORDINATOR_GATEWAY_TIMEOUT');
    expect(names.render(['gateway', 'retries'])).toBe('gateway.retries');
    expect(names.render(['list', 1])).toBe('--list[1]');
  });

  it('orders findings as the file does, then what is missing, then what the file does not say', () => {
    const names = new PathNames();
    names.add(['d'], 'COORDINATOR_D', true);
    const file = { B: { y: 1, x: 1 }, a: [1, { z: 1 }], c: 1 };
    const paths: PropertyKey[][] = [
      ['d'],
      ['e'],
      ['c'],
      ['a', 1, 'z'],
      ['a', 0],
      ['b', 'missing'],
      ['b', 'x'],
      ['b', 'y'],
      ['b'],
    ];
    const ordered = names.inOrder(
      paths.map((path) => ({ path, message: '' })),
      file,
    );
    expect(ordered.map(({ path }) => path.join('.'))).toEqual([
      'b',
      'b.y',
      'b.x',
      'b.missing',
      'a.0',
      'a.1.z',
      'c',
      'e',
      'd',
    ]);
  });
});
