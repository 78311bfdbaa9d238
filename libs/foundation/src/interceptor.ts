/** One link of a chain around a call: may look at the input, call `next` and look at what came of it. */
export interface Interceptor<In, Out> {
  intercept(input: In, next: () => Promise<Out>): Promise<Out>;
}

/**
 * Wraps `inner` in the interceptors, outermost first. With none, `inner` is returned as it is, so an empty chain costs nothing.
 */
export function compose<In, Out>(
  interceptors: readonly Interceptor<In, Out>[],
  inner: (input: In) => Promise<Out>,
): (input: In) => Promise<Out> {
  return interceptors.reduceRight<(input: In) => Promise<Out>>(
    (next, interceptor) => (input) => interceptor.intercept(input, () => next(input)),
    inner,
  );
}
