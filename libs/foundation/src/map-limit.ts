/**
 * Maps `items` with at most `limit` calls of `map` in flight. The first failure aborts the signal that the siblings were
 * given, waits for them to settle and is thrown; items not begun are never begun.
 * Results keep the order of `items`.
 * @throws what `map` threw first, or `signal`'s reason when it aborts
 */
export async function mapLimit<In, Out>(
  items: readonly In[],
  limit: number,
  signal: AbortSignal,
  map: (item: In, index: number, signal: AbortSignal) => Promise<Out>,
): Promise<Out[]> {
  const results = new Array<Out>(items.length);
  const siblings = new AbortController();
  const all = AbortSignal.any([signal, siblings.signal]);
  let failure: { error: unknown } | undefined;
  let begun = 0;

  const worker = async (): Promise<void> => {
    while (begun < items.length && failure === undefined && !all.aborted) {
      const index = begun++;
      try {
        results[index] = await map(items[index] as In, index, all); // index < items.length
      } catch (error) {
        failure ??= { error };
        siblings.abort(error);
      }
    }
  };

  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
  signal.throwIfAborted();
  return results;
}
