import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { eventually } from './support/eventually.ts';
import { isFree } from './support/free-port.ts';
import { treeShape } from './support/printed-tree.ts';
import { UP_PORTS, UpProcess, freeOffset } from './support/up.process.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: up --sidecar --envoy is not tried, since there is no Envoy.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

withEnvoy('node apps/simulator/up.mjs --sidecar --envoy --demo --traces', () => {
  it('runs what is short or cached in one place and the rest in several, a trace each, and leaves nothing behind', async () => {
    const offset = await freeOffset();
    const running = new UpProcess('--sidecar', '--envoy', '--demo', '--traces', '--port-offset', String(offset));
    const code = await running.ended;
    const { output } = running;
    expect({ code, output }).toMatchObject({ code: 0 });
    const sections = output.split(/^\d\. /m).slice(1);
    const [short = '', cold = '', again = '', image = ''] = sections;
    const decode = / {3}decode → (decode-\d) ttft \d+ms, \d+ events, \d+ms$/m;
    expect(short).toMatch(decode);
    expect(cold).toMatch(/ {3}prefill → prefill-\d \d+ms · decode → decode-\d ttft/);
    // of two decode workers it is the one that has the prompt
    expect(decode.exec(again)?.[1]).toBe(/ · decode → (decode-\d) /.exec(cold)?.[1]);
    expect(image).toMatch(/ {3}encode → encode-\d \d+ms · prefill → prefill-\d \d+ms · decode → decode-\d ttft/);
    const [path, picked] = ['POST /v1/chat/completions', '> gateway.request > request_orchestration'];
    const proxied = `${path} ${picked} llm_d.pd_proxy.${path} >`;
    expect(sections.map(treeShape)).toEqual([
      `${proxied} decode`,
      `${proxied} prefill decode`,
      `${proxied} decode`,
      `${proxied} encode prefill decode`,
    ]);
    expect(short).toMatch(/llm_d\.pd_proxy.* 200 · decode-only · no_prefill_header · first token after \d+ ms$/m);
    expect(cold).toMatch(/llm_d\.pd_proxy.* 200 · prefill-decode · first token after \d+ ms$/m);
    expect(image).toMatch(/llm_d\.pd_proxy.* 200 · encode-prefill-decode · first token after \d+ ms$/m);
    expect(output).toContain('All 4 took the phases they should.');
    expect(await Promise.all(UP_PORTS.map((port) => isFree(port + offset)))).toEqual(UP_PORTS.map(() => true));
  });
});

const prometheus = await ensurePrometheus();

describe('node apps/simulator/up.mjs --sidecar --kv-connector mooncake --ec-connector ec-example', () => {
  let offset: number;
  let running: UpProcess;
  beforeAll(async () => {
    offset = await freeOffset();
    const connectors = ['--kv-connector', 'mooncake', '--ec-connector', 'ec-example'];
    running = new UpProcess('--sidecar', ...connectors, '--traces', '--port-offset', String(offset));
    await running.says('Ready.');
  });
  afterAll(async () => {
    await running.stop();
  });

  it('says in a line and in a tree which workers served a request of a client that may choose no worker', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const chosen = { 'x-prefiller-host-port': '127.0.0.1:1', 'epp-profile': 'encode' };
    const answer = await fetch(`http://127.0.0.1:${8000 + offset}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'up-1', traceparent, ...chosen },
      body: JSON.stringify({ model: 'm', prompt: 'how is a pod found? '.repeat(30), max_tokens: 3 }),
    });
    expect(answer.status).toBe(200);
    await running.says('ms in all');
    expect(running.output).toMatch(
      / up-1 POST \/v1\/completions m 200 · prefill → prefill-\d \d+ms · decode → decode-\d \d+ms · \d+ms in all/,
    );
    await running.says('trace 0af7651916cd43dd8448eb211c80319c  up-1');
    await running.says('bootstrap ');
  });

  it('says where the metrics of the sidecars are, which have counted it', async () => {
    const pages = [...running.output.matchAll(/^ *sidecar-\d-metrics +(http:\S+\/metrics) /gm)].map(([, url]) => url);
    expect(pages).toHaveLength(2);
    const texts = await Promise.all(pages.map(async (url) => (await fetch(url ?? '')).text()));
    expect(texts.join('')).toMatch(/^llm_d_disagg_sidecar_disagg_requests_total\{disagg_type="prefill-decode"\} 1$/m);
  });

  const withPrometheus = prometheus === undefined ? it.skip : it;
  withPrometheus('has the sidecars, the endpoint picker and every worker scraped', async () => {
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${9091 + offset}/api/v1/query?query=up`);
      const { data } = (await answer.json()) as UpAnswer; // Prometheus documents the shape
      const jobs = data.result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job);
      return jobs.toSorted().join() === `epp,sidecar,sidecar${',vllm'.repeat(6)}`;
    });
  });

  it('exits 0 at SIGTERM', async () => {
    expect(await running.stop()).toBe(0);
  });
});

interface UpAnswer {
  readonly data: { readonly result: readonly { readonly metric: { job: string }; readonly value: [number, string] }[] };
}
