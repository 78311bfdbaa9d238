export function ensurePrometheus(): Promise<string | undefined>;
export function ensurePromtool(): Promise<string | undefined>;
