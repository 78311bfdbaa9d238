/** Bytes by unit, as Kubernetes and Go write them; `10MB` is decimal, `10Mi` and `10MiB` are not. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  ki: 2 ** 10,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mi: 2 ** 20,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gi: 2 ** 30,
  gib: 2 ** 30,
};

/** Bytes of a size such as `10MiB`; undefined for what is none, or is no whole number of bytes that gRPC can count (2^31 - 1). */
export function bytesOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (amount === undefined || factor === undefined) return undefined;
  const bytes = Number(amount) * factor;
  return Number.isInteger(bytes) && bytes > 0 && bytes < 2 ** 31 ? bytes : undefined;
}
