import type { Values } from './helm.chart.ts';

const TLS = { secretName: 'certificate' };
const MONITORING = {
  serviceMonitors: { enabled: true, labels: { release: 'prometheus' } },
  rules: { enabled: true, labels: { release: 'prometheus' }, runbookUrl: 'https://example.com/runbook' },
  dashboards: { enabled: true, annotations: { folder: 'Inference' } },
};
const PLACES = {
  nodeSelector: { pool: 'cpu' },
  tolerations: [{ key: 'cpu', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
  priorityClassName: 'system-cluster-critical',
  podAnnotations: { note: 'x' },
  podLabels: { team: 'x' },
  env: [{ name: 'OTEL_RESOURCE_ATTRIBUTES', value: 'zone=a' }],
};
const EVERYTHING = {
  commonLabels: { team: 'inference' },
  imagePullSecrets: [{ name: 'registry' }],
  tracing: { endpoint: 'http://otel-collector.monitoring:4317' },
  monitoring: MONITORING,
};

const STEPS = [{ type: 'async-broker' }, { type: 'render' }, { type: 'prefill' }, { type: 'decode' }];

/** Queued requests with as little as that takes. */
export const QUEUED: Values = {
  coordinator: { config: { pipeline: { steps: STEPS } } },
  redis: { url: 'redis://redis:6379' },
  asyncWorker: { enabled: true },
};

/** Values that between them take every branch of every template, by what they are. */
export const CASES: Readonly<Record<string, Values>> = {
  'with nothing set': {},
  'with a picker a role': { picker: { mode: 'roles' } },
  'with decode sidecars': { picker: { mode: 'sidecar' } },
  'with everything on': {
    ...EVERYTHING,
    fullnameOverride: 'inference',
    coordinator: {
      image: { digest: `sha256:${'0'.repeat(64)}` },
      tls: { ...TLS, metricsSecretName: 'metrics-certificate', gatewayCaConfigMapName: 'gateway-authority' },
      adminToken: { secretName: 'admin' },
      autoscaling: { enabled: true, requestsInFlight: 50 },
      service: { annotations: { note: 'x' } },
      ...PLACES,
    },
    picker: { tls: TLS, ...PLACES },
    render: {
      mode: 'bundled',
      model: 'org/model',
      image: { tag: 'v0.20.0' },
      args: ['--max-model-len=8192'],
      env: [{ name: 'X', value: 'y' }],
    },
    gateway: { clients: { hostnames: ['api.example.com'] } },
    networkPolicy: { media: { enabled: true }, coordinatorEgress: [{ ports: [{ port: 6379 }] }] },
  },
  'with everything on, and a picker a role': {
    ...EVERYTHING,
    picker: { mode: 'roles', tls: TLS, ...PLACES },
    pool: { name: 'vllm', targetPorts: [8000, 8001], failureMode: 'FailOpen' },
  },
  'with everything on, and decode sidecars': {
    ...EVERYTHING,
    picker: { mode: 'sidecar', stages: 'epd', tls: TLS, ...PLACES },
    sidecar: { tls: TLS, ssrfProtection: { serviceAccounts: ['decode'] }, env: [{ name: 'X', value: 'y' }] },
  },
  'with everything off': {
    coordinator: {
      replicas: 1,
      disruptionBudget: { enabled: false },
      spread: false,
      config: { server: { metrics_port: 0 } },
    },
    picker: { replicas: 1, disruptionBudget: { enabled: false }, spread: false },
    pool: { create: false },
    gateway: { routes: false },
    networkPolicy: { enabled: false },
  },
  'with queued requests': QUEUED,
  'with queued requests, and everything on': {
    ...EVERYTHING,
    coordinator: { tls: TLS, config: { pipeline: { steps: STEPS } } },
    redis: { url: 'rediss://worker@redis:6379/1', secretName: 'redis', caConfigMapName: 'redis-authority' },
    asyncWorker: {
      enabled: true,
      adminToken: { secretName: 'admin' },
      coordinatorCaConfigMapName: 'coordinator-authority',
      autoscaling: { enabled: true, queueDepth: 100 },
      config: { redis: { topology: 'sentinel', master_name: 'main', nodes: ['sentinel:26379'] } },
      ...PLACES,
    },
    networkPolicy: { asyncWorkerEgress: [{ ports: [{ port: 443 }] }] },
  },
  'with queued requests, and the rest off': {
    ...QUEUED,
    asyncWorker: {
      enabled: true,
      replicas: 1,
      disruptionBudget: { enabled: false },
      spread: false,
      config: { server: { metrics_port: 0 }, coordinator: { address: 'http://gateway' } },
    },
    monitoring: { serviceMonitors: { enabled: true } },
    networkPolicy: { redis: [] },
  },
  'with decode sidecars that may call anything': {
    picker: { mode: 'sidecar' },
    sidecar: { ssrfProtection: { enabled: false }, config: { 'metrics-port': 0 } },
    networkPolicy: { gateway: [], monitoring: [], dns: [], apiServer: [] },
  },
  'with one listener, other ports and HTTPS by itself': {
    coordinator: { config: { server: { listen_addr: '0.0.0.0:8443', metrics_port: 9191, secure_serving: true } } },
    gateway: {
      allowSharedListener: true,
      clients: { parentRefs: [{ name: 'one' }] },
      phases: { parentRefs: [{ name: 'one' }] },
    },
  },
};
