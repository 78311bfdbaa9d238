import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeUpstream, json } from '#testing';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

const PAGE = readFileSync(new URL('../../docs/adding-a-step.md', import.meta.url), 'utf8');
const STEPS = fileURLToPath(new URL('../fixtures/steps/', import.meta.url));
const BODY = '{"model":"m","priority":99,"messages":[]}';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The configuration on the page. */
function pageConfig(): string {
  const config = /<!-- config -->\n\n```yaml\n([^]*?)```/.exec(PAGE)?.[1];
  if (config === undefined) throw new Error('the page has a configuration');
  return config;
}

describe('a coordinator with steps of its own', () => {
  const folder = new TemporaryFolder();
  let gateway: FakeUpstream;
  let render: FakeUpstream;
  let coordinator: CoordinatorProcess;
  let url: string;
  let promptTokens = 2;

  beforeAll(async () => {
    render = await FakeUpstream.start((_, response) => {
      json(response, { token_ids: Array.from({ length: promptTokens }, (_id, index) => index) });
    });
    gateway = await FakeUpstream.start(({ path, body }, response) => {
      if (path === '/v1/moderations') json(response, { flagged: body.includes('forbidden') });
      else json(response, '{"id":"answer"}');
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const config = pageConfig()
      .replace("':8080'", `'127.0.0.1:${port}'\n  metrics_port: 0`)
      .replace('http://gateway:80', gateway.url)
      .replace('http://render:8000', render.url)
      .replace('[./tenant-limit.steps.mjs]', '[./tenant-limit.steps.mjs, ./guard.steps.mjs]')
      .replace('  steps:\n', '  steps:\n    - type: guard\n');
    for (const name of ['tenant-limit.steps.mjs', 'guard.steps.mjs']) {
      folder.write(name, readFileSync(STEPS + name, 'utf8'));
    }
    coordinator = new CoordinatorProcess(['--config', folder.write('coordinator.yaml', config)]);
    await coordinator.ready(url);
  }, 60_000);

  afterAll(async () => {
    await coordinator.stop();
    await gateway.close();
    await render.close();
    folder.remove();
  });

  async function ask(tenant: string | undefined, tokens: number, body = BODY): Promise<Answer> {
    promptTokens = tokens;
    gateway.requests.length = 0;
    const headers = { 'x-request-id': 'req-1', ...(tenant === undefined ? {} : { 'X-Tenant': tenant }) };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
    return { status: answer.status, body: await answer.json() };
  }

  const sent = (): string[] => gateway.requests.map(({ path, body }) => `${path} ${body.toString()}`);

  it('sets in every body what the tenant gets', async () => {
    expect(await ask('acme', 2)).toEqual({ status: 200, body: { id: 'answer' } });
    const tokens = '"tokens":{"token_ids":[0,1]}';
    expect(sent()).toEqual([
      `/v1/moderations ${BODY}`,
      `/v1/chat/completions {"model":"m","priority":-10,"messages":[],${tokens},"max_tokens":1,"stream":false,"kv_transfer_params":{"do_remote_decode":true,"do_remote_prefill":false}}`,
      `/v1/chat/completions {"model":"m","priority":-10,"messages":[],${tokens},"kv_transfer_params":{"do_remote_decode":false,"do_remote_prefill":true}}`,
    ]);
  });

  it.each([undefined, 'other', '__proto__'])('sets nothing for the tenant %s', async (tenant) => {
    expect((await ask(tenant, 2)).status).toBe(200);
    expect(sent()[1]).toMatch(/^\/v1\/chat\/completions \{"model":"m","messages":\[\],/);
  });

  it.each([
    ['acme', 32_768, 32_769],
    ['other', 2048, 2049],
    [undefined, 2048, 2049],
  ])('takes from the tenant %s %d tokens, and refuses %d', async (tenant, most, tooMany) => {
    expect((await ask(tenant, most)).status).toBe(200);
    expect(await ask(tenant, tooMany)).toEqual({
      status: 400,
      body: {
        error: {
          message: `the prompt has ${tooMany} tokens, the tenant may send ${most} (request_id: req-1)`,
          type: 'invalid_request_error',
          param: null,
          code: 'too_many_tokens',
        },
      },
    });
    expect(sent()).toEqual([`/v1/moderations ${BODY}`]);
  });

  it('gives a step what it injects', async () => {
    const refused = await ask('acme', 2, '{"messages":[{"role":"user","content":"forbidden"}]}');
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_value' } } });
    expect(
      gateway.requests.map(({ path, headers }) => [path, headers['epp-profile'], headers['x-request-id']]),
    ).toEqual([['/v1/moderations', 'decode', 'req-1']]);
  });
});

describe('a coordinator whose steps cannot be used', () => {
  const folder = new TemporaryFolder();

  afterAll(() => {
    folder.remove();
  });

  it.each([
    [
      'a parameter that is wrong',
      (config: string) => config.replace('32768', 'many'),
      'pipeline.steps[2].params.max_prompt_tokens.acme',
    ],
    [
      'a parameter that is not known',
      (config: string) => config.replace('default_max_', 'defaults_max_'),
      'unknown key (did you mean default_max_prompt_tokens?)',
    ],
    [
      'a module that is not there',
      (config: string) => config.replace('[./tenant', '[./tenants'),
      'pipeline.modules[0] cannot be loaded',
    ],
    [
      'a type that two modules bring',
      (config: string) => config.replace('[./tenant-limit.steps.mjs]', '[./tenant-limit.steps.mjs, ./copy.mjs]'),
      'two steps have the type "tenant-limit"',
    ],
  ])(
    'does not start, and names %s',
    async (_, change, problem) => {
      const text = readFileSync(`${STEPS}tenant-limit.steps.mjs`, 'utf8');
      for (const name of ['tenant-limit.steps.mjs', 'copy.mjs']) folder.write(name, text);
      const coordinator = new CoordinatorProcess(['--config', folder.write('coordinator.yaml', change(pageConfig()))]);
      expect(await coordinator.ended).toEqual({ code: 1, signal: null });
      expect(coordinator.output.replaceAll(/ +/g, ' ')).toContain(problem);
      expect(coordinator.output).not.toContain('at ');
    },
    30_000,
  );
});
