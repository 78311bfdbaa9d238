export function ensureEnvoy(print?: (line: string) => void): Promise<string | undefined>;
