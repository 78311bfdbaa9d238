export function ensureKubernetes(print?: (line: string) => void): Promise<string | undefined>;
