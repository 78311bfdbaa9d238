import { trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { defaultEnvironment, environment } from '#config';

/** Span export that runs, to be stopped before the process ends. */
export interface TracingSdk {
  readonly tracer: Tracer;
  /** Sends what is left, for at most five seconds. */
  stop(): Promise<void>;
}

/** Milliseconds that the last spans may take to leave. */
const FLUSH = 5_000;
const SAMPLERS: ReadonlySet<string> = new Set([
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]);

/**
 * Starts the SDK as `OTEL_*` variables say, with upstream's defaults for those that are not set: OTLP over gRPC to localhost, a
 * tenth of the traces that have no parent.
 * @see coordinator.md F.2
 */
export function startTracing(version: string, onWarning: (message: string) => void): TracingSdk {
  for (const warning of checkedSampler()) onWarning(warning);
  const isLocal = Object.keys(environment()).every(
    (name) => !/^OTEL_EXPORTER_OTLP_(TRACES_)?(ENDPOINT|INSECURE|CERTIFICATE)/.test(name),
  );
  defaultEnvironment({
    OTEL_SERVICE_NAME: 'llm-d-coordinator',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    ...(isLocal ? { OTEL_EXPORTER_OTLP_INSECURE: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: localEndpoint() } : {}),
  });
  const sdk = new NodeSDK({ instrumentations: [], serviceName: environment()['OTEL_SERVICE_NAME'] ?? '' });
  sdk.start();
  return {
    tracer: trace.getTracer('inference-coordinator', version),
    stop: async () => {
      await Promise.race([sdk.shutdown(), new Promise((resolve) => setTimeout(resolve, FLUSH).unref())]);
    },
  };
}

function localEndpoint(): string {
  const protocol = environment()['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'grpc';
  return protocol === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318';
}

/** A sampler or ratio that means nothing is said so and gives way to the default. */
function checkedSampler(): string[] {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = environment();
  const warnings: string[] = [];
  if (sampler !== undefined && !SAMPLERS.has(sampler)) {
    warnings.push('OTEL_TRACES_SAMPLER is not known, using parentbased_traceidratio');
    defaultEnvironment({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }, true);
  }
  const value = Number(ratio);
  if (ratio !== undefined && !(value >= 0 && value <= 1)) {
    warnings.push('OTEL_TRACES_SAMPLER_ARG is not a ratio from 0 to 1, using 0.1');
    defaultEnvironment({ OTEL_TRACES_SAMPLER_ARG: '0.1' }, true);
  }
  return warnings;
}
