/** The process's environment as it is at the call. Nothing else in the product reads `process.env`. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return Object.freeze({ ...process.env });
}

/**
 * Sets variables that are not set, for libraries that read their settings from the environment alone.
 * @param replace sets them whether they are set or not
 */
export function defaultEnvironment(values: Readonly<Record<string, string>>, replace = false): void {
  for (const [name, value] of Object.entries(values)) {
    if (replace || process.env[name] === undefined || process.env[name] === '') process.env[name] = value;
  }
}
