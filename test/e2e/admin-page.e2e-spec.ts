import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { ensureChromium } from '../install/chromium.mjs';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { openChromium } from './support/chromium.browser.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

const executablePath = await ensureChromium();
/** Where there is no Chromium, `ensureChromium` has said so, and why. */
const withChromium = executablePath === undefined ? describe.skip : describe;

const LIMIT_MS = 60_000;
jest.setTimeout(LIMIT_MS);
const HOSTILE = `<img src=x onerror="document.title='owned'">`;
const TOKEN = 'sesame';
/** Longer than what the simulator's prefix cache has of any other prompt. */
const PROMPT = 'Explain why a server that answers token by token wants its prompts computed elsewhere. '.repeat(3);

withChromium('the admin page', () => {
  const folder = new TemporaryFolder();
  const asked: string[] = [];
  const complaints: string[] = [];
  let cluster: SimulatedCluster;
  let coordinator: CoordinatorProcess;
  let origin: string;
  let browser: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    cluster = await startSimulatedCluster({
      timing: { render_ms: 5, encode_ms: 30, prefill_ms: 25, ttft_ms: 15, itl_ms: 5 },
    });
    const [port, adminPort] = [await freePort(), await freePort()];
    const config = coordinatorConfig(cluster, port, { server: { metrics_port: adminPort } });
    coordinator = new CoordinatorProcess([
      '--config',
      folder.write('coordinator.yaml', { ...config, admin: { token: TOKEN } }),
    ]);
    cluster.coordinatorUrl = `http://127.0.0.1:${port}`;
    await coordinator.ready(cluster.coordinatorUrl);
    origin = `http://127.0.0.1:${adminPort}`;
    browser = await openChromium(executablePath ?? '', join(folder.path, 'profile'));
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(origin);
  });

  afterAll(async () => {
    await browser.close();
    await coordinator.stop();
    await cluster.close();
    folder.remove();
  });

  it('is live, and says so, before there was a request', async () => {
    await shows(page, '#live', /^live$/);
    await shows(page, '#in-flight .figure', /^0$/);
    await shows(page, '#misses .since', /^– of 0 since start$/);
    await shows(page, '#empty', /^No request yet\.$/);
  });

  it('shows readiness with its dependencies', async () => {
    await shows(page, '#readiness .figure .up', /^serving$/);
    expect(await page.locator('#readiness li.up').allTextContents()).toEqual(['gateway', 'render']);
  });

  it('shows a request while it is in flight, and how it ended', async () => {
    cluster.faults.set([{ phase: 'prefill', kind: 'stall' }]);
    const leaving = new AbortController();
    const left = ask('left', PROMPT, { signal: leaving.signal }).catch(() => undefined);
    await shows(page, '#in-flight .figure', /^1$/);
    await shows(page, '.row', /left.*running/);
    await page.locator('.row', { hasText: 'left' }).locator('.bar.prefill.waiting').waitFor();
    leaving.abort();
    await left;
    cluster.faults.clear();
    await shows(page, '.row', /left.*499 client closed/);
    await shows(page, '#in-flight .figure', /^0$/);
  });

  it('counts requests, failures by cause, probes and the width of the fan-out', async () => {
    await ask('fresh', PROMPT);
    await ask('again', PROMPT);
    await ask('two-images', [{ type: 'text', text: PROMPT }, image('red.png'), image('blue.png')]);
    await ask('hostile', `And now to something else. ${PROMPT}`, { model: HOSTILE });
    cluster.faults.set([{ phase: 'decode', kind: 'reset', after_events: 3 }]);
    await ask('broken', `This one breaks off. ${PROMPT}`).catch(() => undefined);
    cluster.faults.clear();
    await shows(page, '#rate .since', /^6 since start$/);
    await shows(page, '#errors .since', /^2 since start: client_closed 1, upstream_transport 1$/);
    await shows(page, '#misses .since', /^83 % of 6 since start$/);
    await shows(page, '#width .figure', /^2\.0$/);
    await shows(page, '#width .since', /^2\.0 in 1 since start$/);
  });

  it("draws a request's calls in the order of their phases, parallel ones in lanes of their own", async () => {
    await page.locator('#scale').selectOption('whole');
    const bars = await barsOf(page.locator('.row', { hasText: 'two-images' }));
    expect(new Set(bars.map(({ phase }) => phase))).toEqual(
      new Set(['media', 'render', 'probe', 'encode', 'prefill', 'decode']),
    );
    const phase = (name: string): typeof bars => bars.filter((bar) => bar.phase === name);
    expect(new Set(phase('encode').map(({ top }) => top)).size).toBe(2);
    for (const [earlier, later] of [
      ['render', 'probe'],
      ['probe', 'encode'],
      ['encode', 'prefill'],
      ['prefill', 'decode'],
    ] as const) {
      const began = Math.min(...phase(later).map(({ left }) => left));
      expect(Math.min(...phase(earlier).map(({ left }) => left))).toBeLessThan(began);
    }
    expect(Math.max(...bars.map(({ right }) => right))).toBeLessThanOrEqual(1.001);
  });

  it('opens a timeline at a click, with the parts of the time to first token and every call', async () => {
    await page.locator('.row', { hasText: 'two-images' }).click();
    await shows(page, '#opened h2', /^two-images$/);
    await shows(page, '#opened h3', /^Time to first token: \d+ ms$/);
    const parts = (await page.locator('#opened .key').allTextContents()).map((text) => text.split(' ')[0]);
    expect(parts).toEqual(['receive', 'media', 'render', 'probe', 'encode', 'prefill', 'decode', 'coordinator']);
    expect(await page.locator('#opened .line.call .name').allTextContents()).toEqual([
      'media[0]',
      'media[1]',
      'render · 200',
      'conditional-decode · 412',
      'encode[0] · 200',
      'encode[1] · 200',
      'prefill · 200',
      'decode · 200',
    ]);
    await page.screenshot({ path: join(tmpdir(), 'admin-page.png') });
  });

  it('says why a request failed, at an address that names it', async () => {
    const linked = await browser.newPage();
    await linked.goto(`${origin}/#broken`);
    await shows(linked, '#opened .facts', /outcome200 upstream_reset.*error codeupstream_unreachable/);
    await shows(linked, '#opened .bad-text', /^decode · upstream_transport$/);
    await linked.close();
  });

  it('shows what a client sent as text', async () => {
    await page.locator('.row', { hasText: 'hostile' }).click();
    expect(await page.locator('.row', { hasText: 'hostile' }).locator('.what span').first().textContent()).toBe(
      HOSTILE,
    );
    await shows(page, '#opened h2', /^hostile$/);
    expect(await page.locator('#opened dd', { hasText: 'img' }).allTextContents()).toEqual([HOSTILE]);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Inference coordinator');
  });

  it('narrows the list to failed requests, and orders it by time to first token', async () => {
    await page.locator('#view').selectOption('failed');
    await shows(page, '#rows', /^(?!.*completed).*broken.*left/);
    await page.locator('#view').selectOption('slowest');
    await page.locator('.row', { hasText: 'completed' }).first().waitFor();
    const times = (await page.locator('.row .first').allTextContents()).filter((text) => text.endsWith(' ms'));
    const numbers = times.map((text) => parseFloat(text));
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    await page.locator('#view').selectOption('latest');
  });

  it('fits a telephone', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await page.screenshot({ path: join(tmpdir(), 'admin-page-narrow.png') });
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  it('talked to its own listener alone, and nothing went wrong in it', () => {
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => !url.startsWith(`${origin}/`) && url !== 'data:,')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('lets no text become markup, whoever runs in it', async () => {
    const other = await browser.newPage();
    await other.goto(origin);
    await expect(other.evaluate("document.body.innerHTML = '<b>bold</b>'")).rejects.toThrow(/TrustedHTML/);
    await other.close();
  });

  it('asks more seldom while there is no answer, and is live again when there is', async () => {
    const other = await browser.newPage();
    await other.goto(origin);
    await shows(other, '#live', /^live$/);
    await other.route('**/admin/**', (route) => route.abort());
    await shows(other, '#live', /^no answer; again in 2 s$/);
    await shows(other, '#live', /^no answer; again in 4 s$/);
    await other.unroute('**/admin/**');
    await shows(other, '#live', /^live$/);
    await other.close();
  });

  it('asks for a token where reading wants one, and keeps it in the tab', async () => {
    const remote = await browser.newPage();
    await remote.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.1' });
    await remote.goto(origin);
    await shows(remote, '#live', /^an admin token is needed$/);
    expect(await remote.locator('.row').count()).toBe(0);
    for (const token of ['wrong', TOKEN]) {
      await remote.locator('#token-field').fill(token);
      const answered = remote.waitForResponse(/admin\/status/);
      await remote.locator('#token button').click();
      expect((await answered).status()).toBe(token === TOKEN ? 200 : 401);
    }
    await shows(remote, '#live', /^live$/);
    expect(await remote.locator('#token').isVisible()).toBe(false);
    const kept = '[Object.values(sessionStorage), Object.values(localStorage), document.cookie]';
    expect(await remote.evaluate(kept)).toEqual([[TOKEN], [], '']);
    await remote.close();
  });

  /** One streamed chat request, to its end. */
  async function ask(
    id: string,
    content: unknown,
    { model = 'sim-model', signal }: { readonly model?: string; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const answer = await fetch(`${cluster.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': id },
      body: JSON.stringify({ model, stream: true, max_tokens: 20, messages: [{ role: 'user', content }] }),
      signal: signal ?? AbortSignal.timeout(LIMIT_MS),
    });
    await answer.text();
  }

  function image(name: string): object {
    return { type: 'image_url', image_url: { url: `${cluster.media.url}/${name}` } };
  }
});

/** Waits until an element of the selector has such a text. */
async function shows(page: Page, selector: string, text: RegExp): Promise<void> {
  await page.locator(selector, { hasText: text }).first().waitFor({ state: 'attached' });
}

/** The bars of a request's strip: phase, and place as shares of the strip. */
async function barsOf(row: Locator): Promise<{ phase: string; left: number; right: number; top: number }[]> {
  const strip = await row.locator('.bars').boundingBox();
  const bars = await row.locator('.bar').all();
  return Promise.all(
    bars.map(async (bar) => {
      const [box, classes] = await Promise.all([bar.boundingBox(), bar.getAttribute('class')]);
      if (strip === null || box === null || classes === null) throw new Error('a bar is not shown');
      const left = (box.x - strip.x) / strip.width;
      return {
        phase: classes.split(' ')[1] ?? '',
        left,
        right: left + box.width / strip.width,
        top: (box.y - strip.y) / strip.height,
      };
    }),
  );
}
