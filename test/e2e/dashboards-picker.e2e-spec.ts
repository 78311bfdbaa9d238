import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { itHasAnswers } from './support/dashboard-claims.ts';
import { dashboardQueries } from './support/dashboard-queries.ts';
import { EventfulPicks } from './support/eventful-picks.ts';
import { freePort } from './support/free-port.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import type { PickerSetting } from './support/picker.process.ts';
import { PrometheusServer } from './support/prometheus.server.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';

jest.setTimeout(120_000);

const JOB = 'epp';
const queries = dashboardQueries('picker', JOB);

const [prometheusProgram, envoy] = [await ensurePrometheus(), await ensureEnvoy()];
const canRun = prometheusProgram !== undefined && envoy !== undefined;
if (!canRun) process.stdout.write('SKIPPED: no query of the picker is tried, for want of Prometheus or Envoy.\n');
const withBoth = canRun ? describe : describe.skip;

/** Before decode workers with a sidecar: every decision has to be made that a picker can make. */
function setting(endpoints: string): PickerSetting {
  const profile = (role: string) => ({
    name: role,
    plugins: [
      { pluginRef: `${role}-filter` },
      { pluginRef: 'prefix-cache-scorer', weight: 2 },
      { pluginRef: 'queue-scorer' },
    ],
  });
  return {
    name: 'disaggregated',
    config: {
      apiVersion: 'llm-d.ai/v1alpha1',
      kind: 'EndpointPickerConfig',
      plugins: [
        { type: 'decode-filter' },
        { type: 'prefill-filter' },
        { type: 'approx-prefix-cache-producer', parameters: { autoTune: false, blockSizeTokens: 16 } },
        { type: 'inflight-load-producer' },
        { type: 'prefix-cache-scorer' },
        { type: 'queue-scorer' },
        { type: 'prefix-based-pd-decider', parameters: { nonCachedTokens: 16 } },
        { type: 'disagg-profile-handler', parameters: { deciders: { prefill: 'prefix-based-pd-decider' } } },
        { type: 'file-discovery', parameters: { path: endpoints, watchFile: true } },
      ],
      schedulingProfiles: [profile('decode'), profile('prefill')],
      dataLayer: { discovery: { pluginRef: 'file-discovery' } },
    },
    flags: ['--enable-grpc-stream-metrics'],
  };
}

withBoth('a Prometheus that scraped an endpoint picker to which everything has happened', () => {
  let cluster: SimulatedCluster;
  let mute: ScriptedWorker;
  let stack: PickerStack;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const roles = ['decode', 'decode', 'prefill'] as const;
    cluster = await startSimulatedCluster({ workers: roles.map((role) => ({ role })), timing: { itl_ms: 2 } });
    // of a role that nobody asks for: one says not enough of itself, the other one nothing
    mute = await ScriptedWorker.start('mute', 'encode', () => undefined);
    const workers = [...cluster.workers, mute, { name: 'gone', role: 'encode', port: await freePort() }];
    stack = await startPickerStack({ workers, picker: setting });
    const port = Number(new URL(stack.picker.adminUrl).port);
    prometheus = await PrometheusServer.start(prometheusProgram ?? '', { job: JOB, port }, queries.rules);
    const picks = new EventfulPicks(stack, workers);
    // rates need two scrapes of a series, and it is there after the first round only
    for (let round = 0; round < 2; round++) {
      await picks.round();
      await prometheus.nextScrape();
    }
  });

  afterAll(async () => {
    await prometheus.stop();
    await stack.stop();
    await mute.close();
    await cluster.close();
  });

  itHasAnswers(queries, () => prometheus, 11);

  it('has nothing in flight that has ended', async () => {
    const inFlight = Object.values(PICKER_METRICS).filter(({ name }) =>
      /_(running|inflight|inflight_requests)$/.test(name),
    );
    expect(inFlight).toHaveLength(3);
    for (const { name } of inFlight) {
      // the client that left is noticed in a moment
      await prometheus.until(async () => (await prometheus.query(`sum(${name})`))[0]?.value[1] === '0', name);
    }
  });
});
