import { describe, expect, it } from '@jest/globals';
import { compose } from './interceptor.ts';
import type { Interceptor } from './interceptor.ts';

function tracing(name: string, trace: string[]): Interceptor<string, string> {
  return {
    async intercept(input, next) {
      trace.push(`${name} in ${input}`);
      const output = await next();
      trace.push(`${name} out ${output}`);
      return `${name}(${output})`;
    },
  };
}

describe('compose', () => {
  it('runs the first interceptor outermost', async () => {
    const trace: string[] = [];
    const inner = (input: string): Promise<string> => {
      trace.push(`inner ${input}`);
      return Promise.resolve('done');
    };
    const composed = compose([tracing('a', trace), tracing('b', trace)], inner);
    expect(await composed('x')).toBe('a(b(done))');
    expect(trace).toEqual(['a in x', 'b in x', 'inner x', 'b out done', 'a out b(done)']);
  });

  it('is the inner function itself where there are none', () => {
    const inner = (): Promise<string> => Promise.resolve('');
    expect(compose([], inner)).toBe(inner);
  });

  it('lets an interceptor answer in place of what it stands before', async () => {
    let reached = false;
    const composed = compose<string, string>([{ intercept: () => Promise.resolve('cached') }], () => {
      reached = true;
      return Promise.resolve('fresh');
    });
    expect(await composed('x')).toBe('cached');
    expect(reached).toBe(false);
  });

  it('shows a failure to every interceptor on its way out', async () => {
    const seen: unknown[] = [];
    const watching: Interceptor<string, string> = {
      intercept: (_input, next) =>
        next().catch((error: unknown) => {
          seen.push(error);
          throw error;
        }),
    };
    const failure = new Error('broken');
    await expect(compose([watching, watching], () => Promise.reject(failure))('x')).rejects.toBe(failure);
    expect(seen).toEqual([failure, failure]);
  });

  it('can be called many times at once', async () => {
    const composed = compose([tracing('a', [])], (input: string) => Promise.resolve(input));
    expect(await Promise.all(['1', '2', '3'].map((input) => composed(input)))).toEqual(['a(1)', 'a(2)', 'a(3)']);
  });
});
