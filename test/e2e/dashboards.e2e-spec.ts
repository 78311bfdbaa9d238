import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { METRICS } from '#telemetry/catalogue';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { EventfulTraffic } from './support/eventful-traffic.ts';
import { freePort } from './support/free-port.ts';
import { PrometheusServer } from './support/prometheus.server.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

interface Dashboard {
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
}

const FOLDER = fileURLToPath(new URL('../../dashboards/', import.meta.url));
const RULES = `${FOLDER}alerts/coordinator.rules.yaml`;
const DASHBOARDS = readdirSync(`${FOLDER}generated`).map(
  // Grafana's format, of which these fields matter here
  (file) => JSON.parse(readFileSync(`${FOLDER}generated/${file}`, 'utf8')) as Dashboard,
);
const QUERIES = DASHBOARDS.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr }, i) => ({ name: `${title} › ${panel.title}, ${i + 1}`, expr })),
  ),
);
/** Queries of variables: `label_values(SELECTOR, LABEL)`; no namespace is known outside of Kubernetes. */
const VARIABLES = DASHBOARDS.flatMap(({ title, templating }) =>
  templating.list
    .filter(({ type }) => type === 'query')
    .map(({ query }) => /^label_values\((.+), (\w+)\)$/.exec(query))
    .map((match) => ({ title, selector: match?.[1] ?? '', label: match?.[2] ?? '' }))
    .filter(({ label }) => label !== 'namespace'),
);
/** What Grafana fills in. */
const CHOSEN: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  namespace: '.*',
  job: 'coordinator',
  instance: '.+',
  model_name: '.*',
};

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
  let coordinator: CoordinatorProcess;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    cluster = await startSimulatedCluster({ timing: { prefill_ms: 5, ttft_ms: 2, itl_ms: 1 } });
    const [port, metricsPort] = [await freePort(), await freePort()];
    const config = coordinatorConfig(cluster, port, {
      server: { metrics_port: metricsPort },
      params: { prefill: { on_failure: 'decode' } },
    });
    const file = folder.write('coordinator.yaml', { ...config, tracing: true });
    coordinator = new CoordinatorProcess(['--config', file], { ...EVERY_TRACE, ...OFTEN_COLLECTED });
    cluster.coordinatorUrl = `http://127.0.0.1:${port}`;
    await coordinator.ready(cluster.coordinatorUrl);
    prometheus = await PrometheusServer.start(executable ?? '', metricsPort, RULES);
    const traffic = new EventfulTraffic(cluster);
    // rates need two scrapes of a series, and it is there after the first round only
    for (let round = 0; round < 2; round++) {
      await traffic.round();
      await prometheus.nextScrape();
    }
  });

  afterAll(async () => {
    await prometheus.stop();
    await coordinator.stop();
    await cluster.close();
    folder.remove();
  });

  it.each(QUERIES)('has an answer for $name', async ({ expr }) => {
    const samples = await prometheus.query(filledIn(expr));
    expect(samples.map(({ value }) => Number(value[1])).filter(Number.isFinite)).not.toHaveLength(0);
  });

  it.each(VARIABLES)('has values of $label to choose from in $title', async ({ selector, label }) => {
    expect(await prometheus.labelValues(label, filledIn(selector))).not.toHaveLength(0);
  });

  it('leads from a panel of percentiles to traces', async () => {
    const query = QUERIES.find(({ name }) => name.endsWith('Overview › Time to first token, 2'));
    const traces = await prometheus.exemplars(filledIn(query?.expr ?? ''));
    expect(traces).not.toHaveLength(0);
    expect(traces.filter((id) => !/^(?!0+$)[0-9a-f]{32}$/.test(id))).toEqual([]);
  });

  it('has nothing in flight that has ended', async () => {
    const [running] = await prometheus.query(`sum(${METRICS.requestsRunning.name})`);
    expect(running?.value[1]).toBe('0');
  });

  it('can evaluate every rule', async () => {
    await prometheus.until(
      async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown'),
      'all rules',
    );
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(40);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});

function filledIn(query: string): string {
  return query.replaceAll(/\$(\w+)/g, (_, variable: string) => {
    const value = CHOSEN[variable];
    if (value === undefined) throw new Error(`nothing is known of $${variable}`);
    return value;
  });
}
