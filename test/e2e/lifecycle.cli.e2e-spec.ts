import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const PACKAGE = new URL('../../package.json', import.meta.url);

describe('the command line of the coordinator', () => {
  let folder: TemporaryFolder;
  let good: string;
  let bad: string;

  const upstreams = { gateway: at('http://gateway.example:8000'), render: at('http://render.example:8101') };
  const run = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number | null; output: string }> => {
    const child = new CoordinatorProcess(args, env);
    const { code } = await child.ended;
    return { code, output: child.output };
  };

  beforeAll(() => {
    folder = new TemporaryFolder();
    good = folder.write('good.yaml', coordinatorConfig(upstreams, 8080));
    bad = folder.write('bad.yaml', {
      log_level: 9,
      server: { read_timeout: 30, max_request_body_sise: 1 },
      gateway: { address: 'http://' },
      pipeline: {
        kv_connector: 'kv-nixel',
        steps: [
          { type: 'render', params: {} },
          { type: 'encode', params: { max_paralel: 4 } },
          { type: 'decode', params: {} },
          { type: 'prefil', params: {} },
        ],
      },
    });
  });
  afterAll(() => {
    folder.remove();
  });

  it('--check prints the configuration with its defaults, which is a configuration again', async () => {
    const { code, output } = await run(['--config', good, '--check']);
    expect(code).toBe(0);
    expect(output).toMatch(/^ {2}address: http:\/\/gateway\.example:8000$/m);
    expect(output).toMatch(/^ {2}shutdown_timeout: /m); // not in the file
    const again = await run(['--config', folder.write('again.yaml', output), '--check']);
    expect(again).toEqual({ code: 0, output });
  });

  it.each([
    { how: 'in --check', flags: ['--check'] },
    { how: 'at the start', flags: [] },
  ])(
    'lists every problem of a bad file $how, each with its path and the nearest name, and exits 1',
    async ({ flags }) => {
      const { code, output } = await run(['--config', bad, ...flags]);
      expect(code).toBe(1);
      for (const [path, says] of [
        ['log_level', '5'],
        ['server.read_timeout', '"30s"'],
        ['server.max_request_body_sise', 'max_request_body_size'],
        ['gateway.address', 'host'],
        ['pipeline.kv_connector', 'kv-nixl'],
        ['pipeline.steps[0].params.address', ''],
        ['pipeline.steps[1].params.max_paralel', 'max_parallel'],
        ['pipeline.steps[3].type', 'prefil'],
      ] as const) {
        const line = output.split('\n').find((text) => text.trim().startsWith(`${path} `));
        expect({ path, line }).toEqual({ path, line: expect.stringContaining(says) });
      }
      expect(output).not.toMatch(/^\s+at /m);
    },
  );

  it.each([
    {
      what: 'a file that is not there',
      args: ['--config', '/nowhere/coordinator.yaml'],
      says: '/nowhere/coordinator.yaml',
    },
    { what: 'a flag that does not exist', args: ['--chek'], says: '--check' },
    { what: 'a flag without its value', args: ['--config'], says: '--config' },
  ])('exits 1 for $what and names it', async ({ args, says }) => {
    const { code, output } = await run(args);
    expect(code).toBe(1);
    expect(output).toContain(says);
    expect(output).not.toMatch(/^\s+at /m);
  });

  it('has a flag win over the environment, and the environment over the file', async () => {
    const env = { COORDINATOR_LOG_LEVEL: '4', COORDINATOR_SERVER_METRICS_PORT: '9191' };
    const { output } = await run(['--config', good, '--check', '-v', '3'], env);
    expect(output).toMatch(/^log_level: 3$/m);
    expect(output).toMatch(/^ {2}metrics_port: 9191$/m);
  });

  it('--help names every flag', async () => {
    const { code, output } = await run(['--help']);
    expect(code).toBe(0);
    for (const flag of [
      '--config FILE',
      '-v',
      '--metrics-port',
      '--secure-serving',
      '--cert-path',
      '--tracing',
      '--check',
    ])
      expect(output).toContain(flag);
  });

  it('--version prints the version of the package', async () => {
    // package.json has one
    const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
    expect(await run(['--version'])).toEqual({ code: 0, output: `${version}\n` });
  });

  it('exits 1 and names the address when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // it listens on a port
    try {
      const { code, output } = await run(['--config', folder.write('taken.yaml', coordinatorConfig(upstreams, port))]);
      expect(code).toBe(1);
      expect(output).toContain(`127.0.0.1:${port}`);
    } finally {
      other.close();
    }
  });
});

function at(url: string): { url: string; port: number } {
  return { url, port: Number(new URL(url).port) };
}
