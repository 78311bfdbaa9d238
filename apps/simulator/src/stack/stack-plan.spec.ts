import { describe, expect, it } from '@jest/globals';
import { examples, portTable } from './banner.ts';
import { stackArguments } from './stack-arguments.ts';
import { stackPlan } from './stack-plan.ts';

const plan = (...argv: string[]): ReturnType<typeof stackPlan> => stackPlan(stackArguments(argv));

const SERVERS = {
  gateway: 8000,
  coordinator: 8080,
  metrics: 9090,
  render: 8101,
  'encode-1': 8201,
  'encode-2': 8202,
  'prefill-1': 8203,
  'prefill-2': 8204,
  'decode-1': 8205,
  'decode-2': 8206,
  media: 8301,
};
const PICKER = { picker: 9092, 'picker-grpc': 9002 };
const PICKERS = {
  'picker-encode': 9092,
  'picker-encode-grpc': 9002,
  'picker-prefill': 9093,
  'picker-prefill-grpc': 9003,
  'picker-decode': 9094,
  'picker-decode-grpc': 9004,
};
const ENVOY = { phases: 8010, envoy: 9901 };
const QUEUE = { redis: 6379, 'async-worker': 8081, 'async-worker-metrics': 9095 };
const SIDECARS = {
  ...Object.fromEntries(Object.entries(SERVERS).filter(([part]) => !/^(coordinator|metrics|render)$/.test(part))),
  'sidecar-1': 8401,
  'sidecar-1-metrics': 9101,
  'sidecar-2': 8402,
  'sidecar-2-metrics': 9102,
};

describe('stackPlan', () => {
  it.each([
    { argv: [], ports: { ...SERVERS, ...PICKER } },
    { argv: ['--pickers', '3'], ports: { ...SERVERS, ...PICKERS } },
    { argv: ['--envoy'], ports: { ...SERVERS, ...PICKER, ...ENVOY } },
    { argv: ['--envoy', '--pickers', '3'], ports: { ...SERVERS, ...PICKERS, ...ENVOY } },
    { argv: ['--async'], ports: { ...SERVERS, ...PICKER, ...QUEUE } },
    { argv: ['--async', '--envoy', '--pickers', '3'], ports: { ...SERVERS, ...PICKERS, ...ENVOY, ...QUEUE } },
    { argv: ['--sidecar'], ports: { ...SIDECARS, ...PICKER } },
    { argv: ['--sidecar', '--envoy'], ports: { ...SIDECARS, ...PICKER, envoy: 9901 } },
    { argv: ['--sidecar', '--kv-connector=mooncake'], ports: { ...SIDECARS, ...PICKER, bootstrap: 8998 } },
  ])('has a port for each part with $argv', ({ argv, ports }) => {
    expect(Object.fromEntries(plan(...argv).ports)).toEqual(ports);
  });

  it('puts moved ports into all configurations', () => {
    const moved = ['render=5000', 'decode-1=6000', 'picker-grpc=7000'].flatMap((port) => ['--port', port]);
    const { simulator, coordinator, pickers, url, ports } = plan('--port-offset', '100', ...moved);
    expect(ports.get('render')).toBe(5000);
    expect(simulator).toMatchObject({
      gateway: { port: 8100, coordinator: 'http://127.0.0.1:8180', picker: '127.0.0.1:7000' },
      render: { port: 5000 },
      workers: [8301, 8302, 8303, 8304, 6000, 8306].map((port) => ({ port })),
      media: { port: 8401 },
    });
    expect([url, coordinator?.url]).toEqual(['http://127.0.0.1:8100', 'http://127.0.0.1:8180']);
    expect(pickers).toMatchObject([{ grpcPort: 7000, adminPort: 9192, isSecure: false }]);
    expect(pickers[0]?.endpoints[4]).toEqual({
      name: 'decode-1',
      address: '127.0.0.1',
      port: '6000',
      labels: { 'llm-d.ai/role': 'decode', role: 'decode' },
    });
    expect(coordinator?.config).toMatchObject({
      server: { listen_addr: '127.0.0.1:8180', metrics_port: 9190 },
      gateway: { address: 'http://127.0.0.1:8100' },
      pipeline: {
        kv_connector: 'kv-nixl',
        steps: [
          { type: 'replace-media-urls', params: { allowed_networks: ['127.0.0.0/8'] } },
          { type: 'render', params: { address: 'http://127.0.0.1:5000' } },
          { type: 'conditional-decode' },
          { type: 'encode' },
          { type: 'prefill' },
          { type: 'decode' },
        ],
      },
    });
  });

  it('has a picker for each phase asked about that phase alone', () => {
    const { simulator, pickers } = plan('--pickers', '3');
    expect(simulator.gateway?.picker).toEqual({
      encode: '127.0.0.1:9002',
      prefill: '127.0.0.1:9003',
      decode: '127.0.0.1:9004',
    });
    expect(pickers.map(({ phases, config }) => [phases, config['schedulingProfiles']])).toMatchObject([
      [['encode'], [{ name: 'encode' }]],
      [['prefill'], [{ name: 'prefill' }]],
      [['decode'], [{ name: 'decode' }]],
    ]);
  });

  it('has clients and the coordinator come in at Envoy, each at a listener of its own, and no development gateway', () => {
    const { simulator, coordinator, envoy, pickers, url } = plan('--envoy');
    expect(simulator.gateway).toBeUndefined();
    expect(url).toBe('http://127.0.0.1:8000');
    expect(coordinator?.config).toMatchObject({ gateway: { address: 'http://127.0.0.1:8010' } });
    expect(envoy).toEqual({
      adminPort: 9901,
      topology: {
        clientPort: 8000,
        port: 8010,
        coordinatorPort: 8080,
        pickers: { encode: 9002, prefill: 9002, decode: 9002 },
      },
    });
    expect(pickers).toMatchObject([{ isSecure: true }]);
  });

  it('has the coordinator queue requests, and an async worker send them to where clients come in', () => {
    const { coordinator, queue } = plan('--async', '--port-offset', '100', '--port', 'redis=5000');
    const redis_url = 'redis://127.0.0.1:5000';
    expect(coordinator?.config).toHaveProperty('pipeline.steps.0', { type: 'async-broker', params: { redis_url } });
    expect(queue).toMatchObject({
      ...{ redisPort: 5000, redisUrl: redis_url, workerUrl: 'http://127.0.0.1:8181' },
      worker: {
        coordinator: { address: 'http://127.0.0.1:8100' },
        redis_url,
        queues: ['request-sortedset'],
        server: { listen_addr: '127.0.0.1:8181', metrics_port: 9195 },
      },
    });
    expect(plan().queue).toBeUndefined();
  });

  it('has a sidecar before each decode worker, which the picker knows by it, and no coordinator', () => {
    const chosen = ['--kv-connector=mooncake', '--ec-connector=ec-example', '--port=bootstrap=5000'];
    const { simulator, coordinator, sidecars, pickers, envoy } = plan('--sidecar', ...chosen);
    expect([coordinator, envoy, simulator.render]).toEqual([undefined, undefined, undefined]);
    const workers = { kv_connector: 'mooncake', ec_connector: 'ec-example', bootstrap_port: 5000 };
    expect(simulator).toMatchObject({ sidecar: workers, gateway: { picker: '127.0.0.1:9002', sidecars: true } });
    expect(simulator.gateway?.coordinator).toBeUndefined();
    expect(sidecars).toMatchObject([
      { name: 'sidecar-1', port: 8401, metricsPort: 9101, enginePort: 8205, workers },
      { name: 'sidecar-2', port: 8402, metricsPort: 9102, enginePort: 8206, workers },
    ]);
    expect(pickers[0]?.endpoints.map(({ name, port, labels }) => [name, port, labels['role']])).toEqual([
      ['encode-1', '8201', 'encode'],
      ['encode-2', '8202', 'encode'],
      ['prefill-1', '8203', 'prefill'],
      ['prefill-2', '8204', 'prefill'],
      ['decode-1', '8401', 'decode'],
      ['decode-2', '8402', 'decode'],
    ]);
    expect(pickers[0]?.config['schedulingProfiles']).toMatchObject([
      { name: 'encode' },
      { name: 'prefill' },
      { name: 'decode' },
    ]);
  });

  it('has clients come in where Envoy asks the picker about every request, with sidecars', () => {
    const { simulator, envoy, url } = plan('--sidecar', '--envoy');
    expect(simulator.gateway).toBeUndefined();
    expect(url).toBe('http://127.0.0.1:8000');
    const pickers = { encode: 9002, prefill: 9002, decode: 9002 };
    expect(envoy).toEqual({ adminPort: 9901, topology: { port: 8000, pickers, beginsTraces: true } });
  });

  it('has a port for Prometheus where there is one, and takes one that is named where there is none', () => {
    expect(stackPlan(stackArguments(['--port-offset', '7']), true).ports.get('prometheus')).toBe(9098);
    const named = stackArguments(['--port', 'prometheus=5001']);
    expect(stackPlan(named, true).ports.get('prometheus')).toBe(5001);
    expect(stackPlan(named).ports.has('prometheus')).toBe(false);
  });

  it.each([
    { argv: ['--port', 'kitchen=1'], says: '--port kitchen: there is gateway, coordinator' },
    { argv: ['--port', 'render=x'], says: '--port render=x: a whole number is needed' },
    { argv: ['--port-offset', 'x'], says: '--port-offset: a whole number is needed' },
    { argv: ['--demon'], says: "Unknown option '--demon'" },
    { argv: ['--simulator-config', 'nowhere.yaml'], says: 'nowhere.yaml' },
    { argv: ['--picker-config', 'nowhere.yaml'], says: 'nowhere.yaml' },
    { argv: ['--pickers', '2'], says: '--pickers 2: 1 for all phases, or 3, one for each' },
    { argv: ['--envoy-program', '/usr/bin/envoy'], says: '--envoy-program is part of --envoy: add that' },
    { argv: ['--kv-connector', 'sglang'], says: '--kv-connector is part of --sidecar: add that' },
    { argv: ['--sidecar', '--kv-connector', 'nixl'], says: '--kv-connector nixl: there is nixlv2, shared-storage' },
    { argv: ['--sidecar', '--ec-connector', 'x'], says: '--ec-connector x: there is ec-example, ec-nixl' },
    { argv: ['--sidecar', '--pickers', '3'], says: '--sidecar has one endpoint picker' },
    { argv: ['--sidecar', '--async'], says: '--async needs the coordinator, which --sidecar leaves out' },
    { argv: ['--redis-program', '/usr/bin/redis-server'], says: '--redis-program is part of --async: add that' },
    { argv: ['--async', '--async-worker-config', 'nowhere.yaml'], says: 'nowhere.yaml' },
    { argv: ['--sidecar', '--port', 'coordinator=1'], says: '--port coordinator: there is gateway, encode-1' },
    { argv: ['--pickers', '3', '--picker-config', 'a.yaml'], says: '--picker-config is of one picker' },
  ])('refuses $argv', ({ argv, says }) => {
    expect(() => plan(...argv)).toThrow(says);
  });
});

describe('the banner', () => {
  it('shows where the metrics of sidecars are, and faults at a port that is there', () => {
    const moved = stackPlan(stackArguments(['--port-offset=7', '--sidecar']));
    expect(portTable(moved)).toMatch(/ sidecar-1 +http:\/\/127.0.0.1:8408 +decode sidecar/);
    expect(portTable(moved)).toMatch(/ sidecar-1-metrics +http:\/\/127.0.0.1:9108\/metrics +what the sidecar counts/);
    expect(examples(moved)).toContain('http://127.0.0.1:8212/simulator/faults');
  });

  it('says where queued requests go, and how to queue one', () => {
    const moved = stackPlan(stackArguments(['--port-offset=7', '--async']));
    expect(portTable(moved)).toMatch(/ redis +redis:\/\/127.0.0.1:6386 +where queued/);
    expect(portTable(moved)).toMatch(/ async-worker-metrics +http:\/\/127.0.0.1:9102\/metrics +what/);
    expect(examples(moved)).toContain('curl -i http://127.0.0.1:8007/v1/requests/job-1');
    expect(examples(plan())).not.toContain('/v1/requests');
  });

  it.each([['--port-offset=7'], ['--port-offset=7', '--envoy', '--pickers=3'], ['--port-offset=7', '--sidecar']])(
    'shows every address of %j, and examples for the gateway in use',
    (...argv) => {
      const moved = stackPlan(stackArguments(argv), true);
      for (const [part, port] of moved.ports) expect(portTable(moved)).toMatch(new RegExp(`${part} .*:${port}`));
      expect(portTable(moved)).toMatch(/ picker\S* +http:\/\/127.0.0.1:9099 +.*\/admin\/decisions/);
      expect(portTable(moved)).toMatch(/ picker\S*-grpc +grpc:\/\/127.0.0.1:9009 +ext_proc/);
      expect(examples(moved)).toContain('curl -N http://127.0.0.1:8007/v1/chat/completions');
      expect(examples(moved)).toContain('base_url="http://127.0.0.1:8007/v1"');
    },
  );
});

describe('stackArguments', () => {
  it.each([
    { argv: [], wanted: undefined },
    { argv: ['--prometheus'], wanted: true },
    { argv: ['--no-prometheus'], wanted: false },
  ])('$argv is Prometheus $wanted', ({ argv, wanted }) => {
    expect(stackArguments(argv).prometheus).toBe(wanted);
  });
});
