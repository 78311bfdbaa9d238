import type { Decision } from '#scheduling';

/** Gives a piece of an answer the model name that the client knows. */
export type Restore = (chunk: Buffer) => Buffer;

/**
 * What puts the client's model name in the place of the worker's; undefined where they are the same, or one is not known.
 * It replaces bytes of one piece at a time: a name that is cut in two stays (`epp.md` 1.6).
 */
export function modelRestorer({ request, incomingModel }: Decision): Restore | undefined {
  const { targetModel } = request;
  if (incomingModel === undefined || incomingModel === '' || targetModel === '') return undefined;
  if (incomingModel === targetModel) return undefined;
  const dense = { from: member('', targetModel), to: member('', incomingModel) };
  const spaced = { from: member(' ', targetModel), to: member(' ', incomingModel) };
  return (chunk) => {
    const { from, to } = chunk.includes(dense.from) ? dense : spaced;
    return replaced(chunk, from, to);
  };
}

function member(space: string, model: string): Buffer {
  return Buffer.from(`"model":${space}${JSON.stringify(model)}`);
}

function replaced(chunk: Buffer, from: Buffer, to: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (let found = chunk.indexOf(from); found !== -1; found = chunk.indexOf(from, start)) {
    parts.push(chunk.subarray(start, found), to);
    start = found + from.length;
  }
  return parts.length === 0 ? chunk : Buffer.concat([...parts, chunk.subarray(start)]);
}
