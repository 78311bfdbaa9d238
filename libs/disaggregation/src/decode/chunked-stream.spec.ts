import { describe, expect, it } from '@jest/globals';
import { ClientClosedError } from '#foundation';
import { ChunkedStream } from './chunked-stream.ts';

const A = Buffer.from('a');
const B = Buffer.from('b');

/** Counts what was asked of it. */
function parts(): { readonly asked: string[]; readonly made: AsyncGenerator<Buffer, void> } {
  const asked: string[] = [];
  async function* made(): AsyncGenerator<Buffer, void> {
    try {
      asked.push('a');
      yield A;
      asked.push('b');
      yield await Promise.resolve(B);
    } finally {
      asked.push('end');
    }
  }
  return { asked, made: made() };
}

describe('ChunkedStream', () => {
  it('hands the parts on, observers first, and tells of the end', async () => {
    const seen: string[] = [];
    const stream = new ChunkedStream(parts().made, new AbortController().signal);
    stream.observe({
      chunk: (part) => seen.push(`observed ${part.toString()}`),
      end: (error) => seen.push(`end ${String(error)}`),
    });
    await stream.pipe({ write: (part) => seen.push(part.toString()) > 0 });
    expect(seen).toEqual(['observed a', 'a', 'observed b', 'b', 'end undefined']);
  });

  it('asks for no part before the last one was taken', async () => {
    const { asked, made } = parts();
    const taken = Promise.withResolvers<() => void>();
    const stream = new ChunkedStream(made, new AbortController().signal);
    const piping = stream.pipe({
      write: (part, resume) => {
        if (part === A) taken.resolve(resume);
        return part !== A;
      },
    });
    const resume = await taken.promise;
    await new Promise(setImmediate);
    expect(asked).toEqual(['a']);
    resume();
    await piping;
    expect(asked).toEqual(['a', 'b', 'end']);
  });

  it('ends with the reason when nobody will take what waits', async () => {
    const { asked, made } = parts();
    const leaving = new AbortController();
    const taken = Promise.withResolvers<undefined>();
    const ends: unknown[] = [];
    const stream = new ChunkedStream(made, leaving.signal);
    stream.observe({ end: (error) => ends.push(error) });
    const piping = stream.pipe({
      write: () => {
        taken.resolve(undefined);
        return false;
      },
    });
    await taken.promise;
    const reason = new ClientClosedError();
    leaving.abort(reason);
    await expect(piping).rejects.toBe(reason);
    expect(ends).toEqual([reason]);
    expect(asked).toEqual(['a', 'end']);
  });

  it('makes nothing that is given up', () => {
    const { asked, made } = parts();
    const ends: unknown[] = [];
    const stream = new ChunkedStream(made, new AbortController().signal);
    stream.observe({ end: (error) => ends.push(error) });
    stream.discard();
    expect(asked).toEqual([]);
    expect(ends).toEqual([expect.any(ClientClosedError)]);
  });
});
