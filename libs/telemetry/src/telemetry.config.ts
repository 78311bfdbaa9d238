import { z } from 'zod';
import { integer } from '#config';

/** Top-level keys that say what is observed. */
export const telemetryConfig = {
  log_level: integer({ min: 1, max: 5 })
    .default(2)
    .describe('1 warnings, 2 two lines a request, 3 verbose, 4 each call, 5 everything. The flag -v wins.'),
  tracing: z
    .boolean()
    .default(false)
    .describe('Export spans; OTEL_* variables say where. Trace context is carried on either way.'),
  metrics: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('false: nothing of a request is counted, traced, recorded or logged. For measuring what that costs.'),
      known_models: z
        .array(z.string())
        .default([])
        .describe('Models that always have a label value of their own, however many others are asked for.'),
    })
    .prefault({})
    .describe('Metrics.'),
  admin: z
    .strictObject({
      token: z
        .string()
        .default('')
        .describe('Bearer token of the admin listener. Writing needs it; reading too, but for loopback.'),
    })
    .prefault({})
    .describe('The admin listener.'),
} as const;
