import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openChat, readText } from './support/streaming.client.ts';
import { SidecarProcess } from './support/sidecar.process.ts';
import { StageWorkers } from './support/stage-workers.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const traceparent = (flags: string): string => `00-${TRACE}-b7ad6b7169203331-${flags}`;

describe('a built decode sidecar', () => {
  let workers: StageWorkers;
  let sidecar: SidecarProcess | undefined;
  beforeAll(async () => {
    workers = await StageWorkers.start();
  });
  afterEach(() => sidecar?.stop());
  afterAll(() => workers.close());

  /** Has a chat served by a remote prefill and the engine. @returns what the process had said when it had ended */
  async function said(flags: readonly string[], context: string): Promise<string> {
    const started = await SidecarProcess.start(Number(new URL(workers.decode.url).port), flags);
    sidecar = started;
    const headers = { 'x-prefiller-host-port': new URL(workers.prefill.url).host, traceparent: context };
    const answer = await openChat(started.url, { model: 'm', messages: [], stream: true }, headers);
    await readText(answer);
    expect(answer.statusCode).toBe(200);
    await started.stop();
    sidecar = undefined;
    return started.output;
  }

  it('prints its spans under a name of its own with --tracing, the last ones before it ends', async () => {
    const output = await said(['--tracing'], traceparent('01'));
    expect(output).toMatch(/'service\.name': 'llm-d-disagg-sidecar'/);
    const names = [...output.matchAll(/^ {2}name: '(.+)',$/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(['decode', 'llm_d.pd_proxy.POST /v1/chat/completions', 'prefill']);
    expect(workers.decode.requests.at(-1)?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  });

  it('makes no span of a trace that is not sampled', async () => {
    expect(await said(['--tracing'], traceparent('00'))).not.toMatch(/^ {2}name: '/m);
    expect(workers.decode.requests.at(-1)?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('makes none without the flag, and passes the trace context on as it is', async () => {
    expect(await said([], traceparent('01'))).not.toMatch(/^ {2}name: '/m);
    expect(workers.decode.requests.at(-1)?.headers['traceparent']).toBe(traceparent('01'));
  });

  it('says what it is among its metrics', async () => {
    sidecar = await SidecarProcess.start(Number(new URL(workers.decode.url).port));
    const metrics = await (await fetch(`http://127.0.0.1:${sidecar.metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^llm_d_disagg_sidecar_info\{commit="[^"]+",build_ref="\d+\.\d+\.\d+[^"]*"\} 1$/m);
  });
});
