import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { itHasAnswers } from './support/dashboard-claims.ts';
import { dashboardQueries } from './support/dashboard-queries.ts';
import { EventfulStages } from './support/eventful-stages.ts';
import { freePort } from './support/free-port.ts';
import { PrometheusServer } from './support/prometheus.server.ts';
import { SidecarProcess } from './support/sidecar.process.ts';
import { StageWorkers } from './support/stage-workers.ts';

jest.setTimeout(120_000);

const JOB = 'sidecar';
const queries = dashboardQueries('sidecar', JOB);

const prometheusProgram = await ensurePrometheus();
if (prometheusProgram === undefined) {
  process.stdout.write('SKIPPED: no query of the sidecar is tried, for want of Prometheus.\n');
}
const withPrometheus = prometheusProgram === undefined ? describe.skip : describe;

/** Everything that it may do beside passing requests on. */
const FLAGS = ['--ec-connector=ec-nixl', '--prefill-max-retries=1', '--prefill-retry-backoff=1ms'];

withPrometheus('a Prometheus that scraped a decode sidecar to which everything has happened', () => {
  let workers: StageWorkers;
  let sidecar: SidecarProcess;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    workers = await StageWorkers.start();
    sidecar = await SidecarProcess.start(Number(new URL(workers.decode.url).port), FLAGS);
    prometheus = await PrometheusServer.start(
      prometheusProgram ?? '',
      { job: JOB, port: sidecar.metricsPort },
      queries.rules,
    );
    const [encode, prefill] = [workers.encode, workers.prefill].map(({ url }) => new URL(url).host);
    const gone = `127.0.0.1:${await freePort()}`;
    const stages = new EventfulStages(sidecar.url, { encode: encode ?? '', prefill: prefill ?? '', gone });
    // rates need two scrapes of a series, and some are there after the first round only
    for (let round = 0; round < 2; round++) {
      await stages.round();
      await prometheus.nextScrape();
    }
  });

  afterAll(async () => {
    await prometheus.stop();
    await sidecar.stop();
    await workers.close();
  });

  itHasAnswers(queries, () => prometheus, 10);

  it.each(
    [
      ['encode', 'prefill', 'decode'].map((stage) => `${stage}_duration_seconds_count`),
      'time_to_first_token_seconds_count',
      'request_errors_total',
      'disagg_requests_total',
      'skipped_stages_total',
      'denied_targets_total',
      'prefill_retries_total',
      'encode_items_total',
    ].flat(),
  )('has counted something as %s', async (name) => {
    const [sum] = await prometheus.query(`sum(llm_d_disagg_sidecar_${name})`);
    expect(Number(sum?.value[1])).toBeGreaterThan(0);
  });

  it('has nothing in flight that has ended', async () => {
    const { name } = SIDECAR_METRICS.requestsRunning;
    // the client that left is noticed in a moment
    await prometheus.until(async () => (await prometheus.query(`sum(${name})`))[0]?.value[1] === '0', name);
  });
});
