/** Bucket borders, by what is measured. Upstream's, but for the last three. */
export const BUCKETS = {
  /** Seconds (`coordinator.md` F.1, GENERAL). */
  general: [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120, 180, 240,
    300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
  ],
  /** Bytes, powers of two from 64 B to 1 GiB (SIZE). */
  size: Array.from({ length: 25 }, (_, index) => 2 ** (index + 6)),
  /** Tokens (TOKENS). */
  tokens: [
    1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576,
  ],
  /** Things in one request (COUNT). */
  count: [0, 1, 2, 4, 8, 16, 32, 64, 128, 256],
  /** Seconds between two tokens: those of the GenAI conventions. */
  tokenTime: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5],
  /** Seconds of a whole request, of the GenAI conventions. */
  genAiDuration: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  /** Seconds to the first token, of the GenAI conventions, and on to what a cold 128k prompt takes. */
  genAiFirstToken: [
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 15, 20, 30, 45, 60,
  ],
} as const satisfies Record<string, readonly number[]>;
