export function ensureRedis(): Promise<string | undefined>;
