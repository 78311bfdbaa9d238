import { describe, expect, it } from '@jest/globals';
import { optionsOf } from './epp.fixture.ts';

describe('eppOptions', () => {
  it('has upstream’s defaults', () => {
    expect(optionsOf([])).toMatchObject({
      grpcPort: 9002,
      healthPort: 9003,
      metricsPort: 9090,
      tls: { folder: '', minVersion: '', cipherSuites: [] },
      checksHealthOnGrpcPort: false,
      heedsSubset: true,
      emitsScores: false,
      electsLeader: false,
      scrapeInterval: 50,
      staleness: 2000,
      drainTimeout: 30_000,
      metrics: { certDir: undefined, clientCaFile: undefined, measuresStreams: false },
      tracing: true,
      verbosity: 2,
      kubernetes: undefined,
      endpoints: undefined,
      warnings: [],
    });
  });

  it.each([
    [
      ['--pool-name=p', '--pool-namespace', 'n'],
      { kind: 'pool', name: 'p', namespace: 'n', group: 'inference.networking.k8s.io' },
    ],
    [
      ['--endpoint-selector=app=x', '--endpoint-target-ports=80,81,80', '--pool-namespace=n'],
      { kind: 'selector', selector: 'app=x', ports: [80, 81], namespace: 'n' },
    ],
  ])('asks Kubernetes as %j says', (flags, kubernetes) => {
    expect(optionsOf(flags).kubernetes).toEqual(kubernetes);
  });

  it.each([
    [['--pool-name=p'], ['--metrics-endpoint-auth']],
    [['--pool-name=p', '--metrics-endpoint-auth=false'], []],
    [['--pool-name=p', '--metrics-cert-dir=a', '--metrics-client-ca-file=b'], []],
    [['--refresh-prometheus-metrics-interval=1s'], ['--refresh-prometheus-metrics-interval']],
    [['--enable-cert-reload'], ['--enable-cert-reload']],
  ])('says of %j which flags have no effect: %j', (flags, named) => {
    expect(optionsOf(flags).warnings.map((warning) => warning.split(' ', 1)[0])).toEqual(named);
  });

  it('raises a scrape interval below 50ms, and says so', () => {
    const { scrapeInterval, warnings } = optionsOf(['--refresh-metrics-interval=1ms']);
    expect(scrapeInterval).toBe(50);
    expect(warnings).toEqual(['--refresh-metrics-interval is raised to 50ms']);
  });

  it.each([
    [
      ['--pool-name=p', '--endpoint-selector=s', '--endpoint-target-ports=80'],
      'either pool-name or endpoint-selector must be set',
    ],
    [['--endpoint-selector=s'], '--endpoint-target-ports  expected 1 to 8 ports'],
    [['--endpoint-selector=s', '--endpoint-target-ports=1,2,3,4,5,6,7,8,9'], 'expected 1 to 8 ports'],
    [['--endpoints=a=h:80', '--pool-name=p'], '--endpoints  cannot be used together with --pool-name'],
    [['--config-file=a', '--config-text=b'], '--config-text  cannot be used together with --config-file'],
    [['--metrics-client-ca-file=a'], '--metrics-client-ca-file  needs --metrics-cert-dir'],
    [['--metrics-cert-dir=a', '--metrics-endpoint-auth=false'], '--metrics-cert-dir  needs --metrics-endpoint-auth'],
    [['--grpc-port=70000'], '--grpc-port  expected a port from 0 to 65535'],
    [['--grpc-max-recv-msg-size=x'], '--grpc-max-recv-msg-size  expected a size such as 10MiB'],
    [['--refresh-prometheus-metrics-interval=1'], '--refresh-prometheus-metrics-interval  expected a duration'],
    [['--drain-timeout=30'], '--drain-timeout  expected a duration'],
    [['--tls-min-version=1.2'], '--tls-min-version  expected VersionTLS12 or VersionTLS13'],
    [['--tls-cipher-suites=NONE'], 'invalid tls-cipher-suites: NONE'],
    [['--lora-info-metric=x'], '--lora-info-metric  is deprecated: name metrics in engineConfigs'],
  ])('refuses %j', (flags, message) => {
    expect(() => optionsOf(flags)).toThrow(message);
  });

  it('lists everything that is wrong at once', () => {
    const flags = ['--grpc-port=-1', '--cache-info-metric=x', '--drain-timeout=soon', '--endpoints=wrong'];
    for (const flag of ['--grpc-port', '--cache-info-metric', '--drain-timeout', '--endpoints']) {
      expect(() => optionsOf(flags)).toThrow(`  ${flag}`);
    }
  });
});
