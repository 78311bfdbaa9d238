import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { METRICS } from '#telemetry/catalogue';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { itHasAnswers } from './support/dashboard-claims.ts';
import { dashboardQueries } from './support/dashboard-queries.ts';
import { EventfulTraffic } from './support/eventful-traffic.ts';
import { freePort } from './support/free-port.ts';
import { PrometheusServer } from './support/prometheus.server.ts';
import { QueuedTraffic } from './support/queued-traffic.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

const JOB = 'coordinator';
const queries = dashboardQueries('coordinator', JOB);

/** Spans of every request, which go nowhere but to the process's own output. */
const EVERY_TRACE = { OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: 'always_on' };
/** So little room that garbage is collected under the few requests of a test, too. */
const OFTEN_COLLECTED = { NODE_OPTIONS: '--max-semi-space-size=1' };

const executable = await ensurePrometheus();
if (executable === undefined) {
  process.stdout.write('SKIPPED: no dashboard query is tried, since there is no Prometheus.\n');
}
const withPrometheus = executable === undefined ? describe.skip : describe;

jest.setTimeout(120_000);

withPrometheus('a Prometheus that scraped a coordinator to which everything has happened', () => {
  const folder = new TemporaryFolder();
  let cluster: SimulatedCluster;
  let queued: QueuedTraffic;
  let coordinator: CoordinatorProcess;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    cluster = await startSimulatedCluster({ timing: { prefill_ms: 5, ttft_ms: 2, itl_ms: 1 } });
    queued = await QueuedTraffic.start();
    const [port, metricsPort] = [await freePort(), await freePort()];
    const config = coordinatorConfig(cluster, port, {
      server: { metrics_port: metricsPort },
      broker: queued.broker,
      params: { prefill: { on_failure: 'decode' } },
    });
    const file = folder.write('coordinator.yaml', { ...config, tracing: true });
    coordinator = new CoordinatorProcess(['--config', file], { ...EVERY_TRACE, ...OFTEN_COLLECTED });
    cluster.coordinatorUrl = `http://127.0.0.1:${port}`;
    await coordinator.ready(cluster.coordinatorUrl);
    prometheus = await PrometheusServer.start(executable ?? '', { job: JOB, port: metricsPort }, queries.rules);
    const traffic = new EventfulTraffic(cluster);
    // rates need two scrapes of a series, and it is there after the first round only
    for (let round = 0; round < 2; round++) {
      await traffic.round();
      await queued.round(cluster.coordinatorUrl);
      await prometheus.nextScrape();
    }
    // queues are looked at every few seconds
    const { name } = METRICS.asyncQueueDeadline;
    await prometheus.until(async () => (await prometheus.query(name)).length > 0, name);
  });

  afterAll(async () => {
    await prometheus.stop();
    await coordinator.stop();
    await cluster.close();
    await queued.close();
    folder.remove();
  });

  itHasAnswers(queries, () => prometheus, 41);

  it('leads from a panel of percentiles to traces', async () => {
    const query = queries.panels.find(({ name }) => name.endsWith('Overview › Time to first token, 2'));
    const traces = await prometheus.exemplars(query?.expr ?? '');
    expect(traces).not.toHaveLength(0);
    expect(traces.filter((id) => !/^(?!0+$)[0-9a-f]{32}$/.test(id))).toEqual([]);
  });

  it('has nothing in flight that has ended', async () => {
    const [running] = await prometheus.query(`sum(${METRICS.requestsRunning.name})`);
    expect(running?.value[1]).toBe('0');
  });
});
