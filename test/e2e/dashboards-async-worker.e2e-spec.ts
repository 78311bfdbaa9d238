import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { itHasAnswers } from './support/dashboard-claims.ts';
import { dashboardQueries } from './support/dashboard-queries.ts';
import { EventfulMessages, HASTY } from './support/eventful-messages.ts';
import { freePort } from './support/free-port.ts';
import { PrometheusServer } from './support/prometheus.server.ts';

jest.setTimeout(120_000);

const JOB = 'async-worker';
const queries = dashboardQueries('async-worker', JOB);

const executable = await ensurePrometheus();
if (executable === undefined) {
  process.stdout.write('SKIPPED: no query of the async worker is tried, for want of Prometheus.\n');
}
const withPrometheus = executable === undefined ? describe.skip : describe;

withPrometheus('a Prometheus that scraped an async worker to which everything has happened', () => {
  let messages: EventfulMessages;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    messages = await EventfulMessages.start();
    await messages.death();
    const port = await freePort();
    await messages.bench.worker({ worker: HASTY, server: { metrics_port: port } });
    prometheus = await PrometheusServer.start(executable ?? '', { job: JOB, port }, queries.rules);
    // rates need two scrapes of a series, and some are there after the first round only
    for (let round = 0; round < 2; round++) {
      await messages.round();
      await prometheus.nextScrape();
    }
    await messages.full();
    const { queueOldest, queueDeadline } = ASYNC_WORKER_METRICS;
    for (const { name } of [queueOldest, queueDeadline]) {
      await prometheus.until(async () => (await prometheus.query(name)).length > 0, name);
    }
  });

  afterAll(async () => {
    await prometheus.stop();
    await messages.bench.close();
  });

  itHasAnswers(queries, () => prometheus, 11);

  it.each([
    ...['delivered', 'retried', 'expired', 'cancelled', 'dead'].map(
      (outcome) => `messages_total{outcome="${outcome}"}`,
    ),
    ...['retries_exhausted', 'invalid_envelope'].map((reason) => `dead_letters_total{reason="${reason}"}`),
    ...['lease', 'retry'].map((why) => `recovered_total{why="${why}"}`),
    ...['wait', 'try_duration', 'turnaround', 'retry_delay'].map((time) => `${time}_seconds_count`),
    ...['in_flight', 'queue_depth', 'queue_leased', 'queue_dead_letters', 'redis_up', 'redis_errors_total'],
  ])('has counted something as %s', async (series) => {
    const [sum] = await prometheus.query(`sum(llm_d_async_worker_${series})`);
    expect(Number(sum?.value[1])).toBeGreaterThan(0);
  });
});
