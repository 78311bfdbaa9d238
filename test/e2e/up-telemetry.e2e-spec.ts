import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { treeShape } from './support/printed-tree.ts';
import { UpProcess, freeOffset } from './support/up.process.ts';

jest.setTimeout(60_000);

describe('node apps/simulator/up.mjs --demo --traces', () => {
  it("prints the span tree of each request beneath its phases, with the picker's spans in it", async () => {
    const running = new UpProcess('--demo', '--traces', '--port-offset', String(await freeOffset()));
    const code = await running.ended;
    const { output } = running;
    expect({ code, output }).toMatchObject({ code: 0 });
    const [, first = '', second = '', third = ''] = output.split(/^\d\. /m).map(treeShape);
    const picked = '> gateway.request > request_orchestration';
    expect(first).toBe(
      'POST /v1/chat/completions > pipeline > replace-media-urls render > render' +
        ` conditional-decode > conditional-decode ${picked} encode prefill > prefill ${picked} decode > decode ${picked}`,
    );
    expect(second).toBe(
      'POST /v1/chat/completions > pipeline > replace-media-urls render > render' +
        ` conditional-decode > conditional-decode ${picked}`,
    );
    expect(third).toBe(
      'POST /v1/chat/completions > pipeline > replace-media-urls > media media render > render' +
        ` conditional-decode > conditional-decode ${picked} encode > encode ${picked} encode ${picked}` +
        ` prefill > prefill ${picked} decode > decode ${picked}`,
    );
    expect(output).toMatch(/─ gateway\.request .* 412$/m);
    for (const role of ['encode', 'prefill', 'decode']) {
      expect(output).toMatch(new RegExp(`─ request_orchestration .* → default/${role}-\\d$`, 'm'));
    }
    expect(output).toMatch(/─ encode .* item 2 of 2$/m);
    expect(output).toMatch(/─ decode .* 200 · first token after \d+ ms · \d+ tokens in · \d+ out · (stop|length)$/m);
  });
});

const program = await ensurePrometheus();
/** Where there is no Prometheus, `ensurePrometheus` has said so, and why. */
const withPrometheus = program === undefined ? describe.skip : describe;

withPrometheus('node apps/simulator/up.mjs', () => {
  let offset: number;
  let running: UpProcess;

  beforeAll(async () => {
    offset = await freeOffset();
    running = new UpProcess('--port-offset', String(offset));
    await running.says('Ready.');
  });
  afterAll(async () => {
    await running.stop();
  });

  it('says where the admin page and Prometheus are', async () => {
    expect(running.output).toMatch(new RegExp(`metrics +http://127\\.0\\.0\\.1:${9090 + offset} +the admin page`));
    expect(running.output).toMatch(new RegExp(`prometheus +http://127\\.0\\.0\\.1:${9091 + offset} `));
    const page = await fetch(`http://127.0.0.1:${9090 + offset}/`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('has the coordinator, the endpoint picker and every worker scraped', async () => {
    await until(async () => {
      const up = await query<{ result: { metric: { job: string }; value: [number, string] }[] }>('query?query=up');
      const jobs = up.result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job);
      return jobs.toSorted().join() === `coordinator,epp${',vllm'.repeat(6)}`;
    });
  });

  it('has the rules of dashboards/alerts loaded, and none of them fails', async () => {
    const { groups } = await query<{ groups: { rules: { health: string }[] }[] }>('rules');
    expect(groups.length).toBeGreaterThan(0);
    expect(groups.flatMap(({ rules }) => rules).filter(({ health }) => health === 'err')).toEqual([]);
  });

  it('exits 0 at SIGTERM', async () => {
    expect(await running.stop()).toBe(0);
  });

  async function query<Data>(path: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${9091 + offset}/api/v1/${path}`);
    // Prometheus documents the shape
    const { data } = (await answer.json()) as { data: Data };
    return data;
  }
});

/** @throws Error when it is not so within 20 s */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not become so within 20 s');
    await sleep(200);
  }
}
