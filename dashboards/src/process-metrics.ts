import type { MetricSpec } from '#telemetry/catalogue';

/**
 * Metrics that are not of the catalogue: those of process and event loop, which the client library makes. A test compares names
 * and labels with the library's.
 */
export const PROCESS = {
  startTime: gauge('process_start_time_seconds', []),
  cpuSeconds: counter('process_cpu_seconds_total', []),
  residentMemory: gauge('process_resident_memory_bytes', []),
  openFiles: gauge('process_open_fds', []),
  maxFiles: gauge('process_max_fds', []),
  heapUsed: gauge('nodejs_heap_size_used_bytes', []),
  heapTotal: gauge('nodejs_heap_size_total_bytes', []),
  externalMemory: gauge('nodejs_external_memory_bytes', []),
  heapSpaceUsed: gauge('nodejs_heap_space_size_used_bytes', ['space']),
  gcDuration: histogram('nodejs_gc_duration_seconds', ['kind']),
  lag: gauge('nodejs_eventloop_lag_seconds', []),
  lagMax: gauge('nodejs_eventloop_lag_max_seconds', []),
  lagMedian: gauge('nodejs_eventloop_lag_p50_seconds', []),
  lagP99: gauge('nodejs_eventloop_lag_p99_seconds', []),
  resources: gauge('nodejs_active_resources', ['type']),
  handles: gauge('nodejs_active_handles', ['type']),
  activeRequests: gauge('nodejs_active_requests_total', []),
} as const satisfies Record<string, MetricSpec>;

/** Series that Prometheus makes for every target. */
export const SCRAPE = {
  up: gauge('up', []),
  duration: gauge('scrape_duration_seconds', []),
  samples: gauge('scrape_samples_scraped', []),
} as const satisfies Record<string, MetricSpec>;

function metric<const L extends readonly string[]>(name: string, labels: L) {
  return { name, labels, help: 'See the client library.' } as const;
}

function gauge<const L extends readonly string[]>(name: string, labels: L) {
  return { ...metric(name, labels), type: 'gauge' } as const;
}

function counter<const L extends readonly string[]>(name: string, labels: L) {
  return { ...metric(name, labels), type: 'counter' } as const;
}

function histogram<const L extends readonly string[]>(name: string, labels: L) {
  return { ...metric(name, labels), type: 'histogram' } as const;
}
