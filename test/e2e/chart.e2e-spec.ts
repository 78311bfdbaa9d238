import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hasHelm, rendered } from '../integration/helm.chart.ts';
import { ensureEnvoy } from '../install/envoy.mjs';
import { ensureKubernetes } from '../install/kubernetes.mjs';
import { STRANGER } from './support/chart.cluster.ts';
import { chartContainers } from './support/chart.container.ts';
import { portNamed, probeAnswers } from './support/chart.probes.ts';
import { checkChartProgram } from './support/chart.program.ts';
import type { ChartProgram } from './support/chart.program.ts';
import { ChartStack } from './support/chart.stack.ts';
import { eventually } from './support/eventually.ts';
import type { Phase } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import { ask, chatOf, cold, SHORT, withImage } from './support/sidecar.client.ts';
import { openChat, readText } from './support/streaming.client.ts';

// an API server and several programs are started, and the machine may be busy
jest.setTimeout(120_000);

const kubernetes = await ensureKubernetes();
const isComplete = hasHelm && kubernetes !== undefined && (await ensureEnvoy()) !== undefined;
if (!isComplete)
  process.stdout.write('SKIPPED: nothing that the chart ships is run, since Helm, Kubernetes or Envoy is not there.\n');
const withAll = isComplete ? describe : describe.skip;

const HEALTHY = { startupProbe: 'SERVING', livenessProbe: 'SERVING', readinessProbe: 'SERVING' };
const OK = { startupProbe: 200, livenessProbe: 200, readinessProbe: 200 };
const COORDINATOR = [
  '/etc/coordinator/coordinator.yaml',
  'COORDINATOR_SERVER_LISTEN_ADDR',
  'COORDINATOR_SERVER_METRICS_PORT',
];
const PICKER = [
  '--config-file=/etc/picker/picker.yaml',
  '--grpc-health-port=9003',
  '--grpc-port=9002',
  '--metrics-port=9090',
  'KUBECONFIG',
];
const SIDECAR = [
  '--configuration-file=/etc/sidecar/sidecar.yaml',
  '--port',
  '--metrics-port',
  '--model-server-port',
  'KUBECONFIG',
];

/** A request, and the phases that it is to go through. */
interface Question {
  readonly what: string;
  readonly content: unknown;
  readonly phases: readonly Phase[];
}

/** With a coordinator, decode is never asked first. */
const COORDINATED: readonly Question[] = [
  { what: 'a short chat', content: SHORT, phases: ['prefill', 'decode'] },
  { what: 'a long chat', content: cold('Coordinated'), phases: ['prefill', 'decode'] },
  { what: 'a chat with an image', content: withImage('Coordinated'), phases: ['encode', 'prefill', 'decode'] },
];
const BESIDE: readonly Question[] = [
  { what: 'a short chat', content: SHORT, phases: ['decode'] },
  { what: 'a long chat', content: cold('Beside'), phases: ['prefill', 'decode'] },
  { what: 'the same chat once more', content: cold('Beside'), phases: ['decode'] },
];

const MODES = [
  { mode: 'profiles', changed: [PICKER, COORDINATOR], probes: [HEALTHY, OK], questions: COORDINATED },
  {
    mode: 'roles',
    changed: [PICKER, PICKER, PICKER, COORDINATOR],
    probes: [HEALTHY, HEALTHY, HEALTHY, OK],
    questions: COORDINATED,
  },
  {
    mode: 'sidecar',
    changed: [SIDECAR, PICKER],
    probes: [{ startupProbe: 200, livenessProbe: 200 }, HEALTHY],
    questions: BESIDE,
  },
] as const;

withAll.each(MODES)('what the chart ships with picker.mode $mode, run on this machine', ({ mode, ...wanted }) => {
  let stack: ChartStack;
  beforeAll(async () => {
    stack = await ChartStack.start(mode, kubernetes ?? '');
  });
  afterAll(() => stack.stop());

  it('is itself but for folders, ports, and who it is for Kubernetes', () => {
    expect(stack.programs.map(({ changed }) => changed)).toEqual(wanted.changed);
  });

  it('has the files, arguments and variables of the default values, but for the addresses that values give', async () => {
    const { gateway, render, targetPort } = stack.addresses;
    const asShipped = (text: string): string =>
      text
        .replace(gateway, 'http://inference-gateway:8081')
        .replace(render, 'http://vllm-render:8000')
        .replace(`\nport: ${targetPort}\n`, '\nport: 8000\n');
    const own = stack.containers.map(({ container: { args, env }, files }) => ({
      args,
      env,
      files: [...files].map(([path, text]) => [path, asShipped(text)]),
    }));
    const shipped = chartContainers(await rendered({ picker: { mode } })).map(
      ({ container: { args, env }, files }) => ({
        args,
        env,
        files: [...files],
      }),
    );
    expect(own).toEqual(shipped);
  });

  it('is found right by the containers that look at it first, and by those of helm test', async () => {
    const checks = stack.containers.filter(({ isCheck }) => isCheck);
    expect(new Set(checks.map(({ app }) => app))).toEqual(new Set(stack.programs.map(({ shipped: { app } }) => app)));
    for (const check of checks) expect(await checkChartProgram(check)).toMatchObject({ code: 0 });
  });

  it('answers the probes of its pods, and has all rights that it asks for', async () => {
    const answers = stack.programs.map(({ shipped, ports }) => probeAnswers(shipped.container, ports));
    expect(await Promise.all(answers)).toEqual(wanted.probes);
    for (const { process: running } of stack.programs) expect(running.output).not.toMatch(/Kubernetes answered 40[13]/);
  });

  it('shows its metrics at the port of that name', async () => {
    for (const program of stack.programs) {
      const answer = await fetch(`${metricsUrl(program)}/metrics`);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('# TYPE llm_d_')]);
    }
  });

  it('knows the pods of its pools, and not one with a role that has no label of a pool', async () => {
    const pickers = stack.programsOf('epp');
    for (const picker of pickers) {
      const own = stack.pods.filter(({ role }) => pickers.length === 1 || picker.shipped.of.endsWith(`-${role}`));
      const known = own.map(({ endpoint }) => endpoint).toSorted();
      await eventually(async () => (await endpointsOf(picker)).join() === known.join());
    }
  });

  it.each(wanted.questions)('streams $what, each phase on a pod of its role: $phases', async (question) => {
    const id = `${mode} ${question.what}`.replaceAll(' ', '-');
    const { status, text, calls } = await ask(stack, id, question.content);
    expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    const phases = calls.filter(({ phase }) => phase !== 'render');
    expect(phases.map(({ phase }) => phase)).toEqual(question.phases);
    expect(phases.map(({ server }) => stack.pods.find(({ name }) => name === server)?.role)).toEqual(question.phases);
    expect(phases.map((call) => call.status)).toEqual(phases.map(() => 200));
    // with which the gateway found the pod; a sidecar keeps it to itself
    for (const { server, headers } of phases) {
      const endpoint = stack.pods.find(({ name }) => name === server)?.endpoint;
      expect(headers['x-gateway-destination-endpoint']).toBe(mode === 'sidecar' ? undefined : endpoint);
    }
  });

  if (mode === 'sidecar') {
    it('has the long chat alone prefilled elsewhere, through the sidecar', async () => {
      const [sidecar] = stack.programsOf('sidecar');
      const adminUrl = sidecar === undefined ? '' : metricsUrl(sidecar);
      const prefilled = 'llm_d_disagg_sidecar_disagg_requests_total';
      await eventually(async () => (await metricOf({ adminUrl }, prefilled)) === 1);
      expect(await metricOf({ adminUrl }, prefilled, { disagg_type: 'prefill-decode' })).toBe(1);
    });

    it('lets nobody have a pod called that is not of the pool', async () => {
      const [sidecar] = stack.pods.filter(({ role }) => role === 'decode');
      const stranger = `${STRANGER}:${stack.addresses.targetPort}`;
      const headers = { 'x-prefiller-host-port': stranger };
      const answer = await openChat(`http://${sidecar?.endpoint}`, chatOf(SHORT), headers);
      expect(answer.statusCode).toBe(403);
      await readText(answer);
    });
  }
});

/** Where metrics and admin are. */
function metricsUrl({ shipped: { app, container }, ports }: ChartProgram): string {
  return `http://127.0.0.1:${ports.get(portNamed(container, app === 'sidecar' ? 'sidecar-metrics' : 'metrics'))}`;
}

/** `address:port` of all endpoints that a picker knows, in order. */
async function endpointsOf(picker: ChartProgram): Promise<readonly string[]> {
  const answer = await fetch(`${metricsUrl(picker)}/admin/endpoints`);
  // what the page is documented to have
  const { endpoints } = (await answer.json()) as { endpoints: { address: string; port: number }[] };
  return endpoints.map(({ address, port }) => `${address}:${port}`).toSorted();
}
