/** The process's environment as it is at the call. Nothing else in the product reads `process.env`. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return Object.freeze({ ...process.env });
}
