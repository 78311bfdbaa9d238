export function ensureHelm(print?: (line: string) => void): Promise<string | undefined>;
