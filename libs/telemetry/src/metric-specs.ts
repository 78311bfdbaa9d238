/** Makers of metrics as data, whose names begin alike. Labels keep their names as types. */
export function metricSpecs(prefix: string) {
  const named = <const T extends string, const L extends readonly string[]>(
    type: T,
    name: string,
    labels: L,
    help: string,
  ) => ({ type, name: prefix + name, labels, help }) as const;
  return {
    counter: <const L extends readonly string[]>(name: string, labels: L, help: string) =>
      named('counter', name, labels, help),
    gauge: <const L extends readonly string[]>(name: string, labels: L, help: string) =>
      named('gauge', name, labels, help),
    histogram: <const L extends readonly string[]>(
      name: string,
      labels: L,
      buckets: readonly number[],
      help: string,
    ) => ({ ...named('histogram', name, labels, help), buckets }),
  } as const;
}
