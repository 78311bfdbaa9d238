export function ensureKustomize(print?: (line: string) => void): Promise<string | undefined>;
