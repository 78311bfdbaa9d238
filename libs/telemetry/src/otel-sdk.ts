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
const EXPORTERS: ReadonlySet<string> = new Set(['otlp', 'console', 'zipkin', 'none']);
const SAMPLERS: ReadonlySet<string> = new Set([
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]);

/** Variables that the SDK would take a wrong value of for none, and what is used then (`coordinator.md` F.2). */
const CHECKED = [
  {
    name: 'OTEL_TRACES_EXPORTER',
    isKnown: (value: string) => value.split(',').every((exporter) => EXPORTERS.has(exporter.trim())),
    fallback: 'otlp',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    isKnown: (value: string) => SAMPLERS.has(value),
    fallback: 'parentbased_traceidratio',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    isKnown: (value: string) => Number(value) >= 0 && Number(value) <= 1,
    fallback: '0.1',
  },
] as const;

/**
 * Starts the SDK as `OTEL_*` variables say, with upstream's defaults for those that are not set: OTLP over gRPC to localhost, a
 * tenth of the traces that have no parent.
 * @see coordinator.md F.2
 */
export function startTracing(version: string, onWarning: (message: string) => void): TracingSdk {
  checkVariables(onWarning);
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
  nameVersion(version);
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
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own, OTEL_EXPORTER_OTLP_PROTOCOL: common } = environment();
  return (own ?? common ?? 'grpc') === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318';
}

/** The version of the service is an attribute of it, unless the environment says another. */
function nameVersion(version: string): void {
  const attributes = environment()['OTEL_RESOURCE_ATTRIBUTES'] ?? '';
  if (attributes.includes('service.version=')) return;
  const all = [...(attributes === '' ? [] : [attributes]), `service.version=${encodeURIComponent(version)}`];
  defaultEnvironment({ OTEL_RESOURCE_ATTRIBUTES: all.join(',') }, true);
}

/** What means nothing is said so and gives way to the default. */
function checkVariables(onWarning: (message: string) => void): void {
  for (const { name, isKnown, fallback } of CHECKED) {
    const value = environment()[name] ?? '';
    if (value === '' || isKnown(value)) continue;
    onWarning(`${name} is not known, using ${fallback}`);
    defaultEnvironment({ [name]: fallback }, true);
  }
}
