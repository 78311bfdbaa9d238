const MAX_PORT = 65_535;

/** Whether it is a port that something can listen on, or be reached at. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= MAX_PORT;
}

/**
 * A port as the command line has it, the first of several.
 * @param flag as messages call it: `--port`
 * @returns the port, or what is wrong with it; texts are upstream's
 */
export function portRange(flag: string, text: string, size: number): number | string {
  if (!/^[+-]?\d+$/.test(text)) return `${flag} must be a valid integer, got ${JSON.stringify(text.slice(0, 64))}`;
  const start = Number(text);
  return rangeProblem(flag, start, size) ?? start;
}

/** What is wrong with that many ports from the start on. */
export function rangeProblem(flag: string, start: number, size: number): string | undefined {
  if (size < 1 || size >= MAX_PORT) return `${flag}: invalid port range: ${size} ports`;
  if (!isPort(start)) return `${flag} start port ${start} is out of valid range [1, ${MAX_PORT}]`;
  const end = start + size - 1;
  return end > MAX_PORT ? `${flag} port range [${start}, ${end}] exceeds maximum port value` : undefined;
}
