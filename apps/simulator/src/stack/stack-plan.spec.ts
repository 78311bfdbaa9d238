import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { examples, portTable } from './banner.ts';
import { stackArguments } from './stack-arguments.ts';
import { stackPlan } from './stack-plan.ts';
import { startStack } from './stack.ts';
import { takenPorts } from './taken-ports.ts';

const plan = (...argv: string[]): ReturnType<typeof stackPlan> => stackPlan(stackArguments(argv));

describe('stackPlan', () => {
  it('takes its ports from the example files', () => {
    expect(Object.fromEntries(plan().ports)).toEqual({
      gateway: 8000,
      coordinator: 8080,
      metrics: 9090,
      render: 8101,
      encode: 8201,
      prefill: 8202,
      decode: 8203,
      media: 8301,
    });
  });

  it('puts moved ports into both configurations', () => {
    const { simulator, coordinator, coordinatorUrl, ports } = plan(
      '--port-offset',
      '100',
      '--port',
      'render=5000',
      '--port',
      'decode=6000',
    );
    expect(ports.get('render')).toBe(5000);
    expect(simulator).toMatchObject({
      gateway: { port: 8100, coordinator: 'http://127.0.0.1:8180' },
      render: { port: 5000 },
      workers: [{ port: 8301 }, { port: 8302 }, { port: 6000 }],
      media: { port: 8401 },
    });
    expect(coordinatorUrl).toBe('http://127.0.0.1:8180');
    expect(coordinator).toMatchObject({
      server: { listen_addr: '127.0.0.1:8180', metrics_port: 9190 },
      gateway: { address: 'http://127.0.0.1:8100' },
      pipeline: {
        kv_connector: 'kv-nixl',
        steps: [
          { type: 'replace-media-urls', params: { allowed_networks: ['127.0.0.0/8'] } },
          { type: 'render', params: { address: 'http://127.0.0.1:5000' } },
          { type: 'conditional-decode' },
          { type: 'encode' },
          { type: 'prefill' },
          { type: 'decode' },
        ],
      },
    });
  });

  it('has a port for Prometheus where there is one, and takes one that is named where there is none', () => {
    expect(stackPlan(stackArguments(['--port-offset', '7']), true).ports.get('prometheus')).toBe(9098);
    const named = stackArguments(['--port', 'prometheus=5001']);
    expect(stackPlan(named, true).ports.get('prometheus')).toBe(5001);
    expect(stackPlan(named).ports.has('prometheus')).toBe(false);
  });

  it.each([
    { argv: ['--port', 'kitchen=1'], says: '--port kitchen: there is gateway, coordinator' },
    { argv: ['--port', 'render=x'], says: '--port render=x: a whole number is needed' },
    { argv: ['--port-offset', 'x'], says: '--port-offset: a whole number is needed' },
    { argv: ['--demon'], says: "Unknown option '--demon'" },
    { argv: ['--simulator-config', 'nowhere.yaml'], says: 'nowhere.yaml' },
  ])('refuses $argv', ({ argv, says }) => {
    expect(() => plan(...argv)).toThrow(says);
  });

  it('shows every address, and examples for the gateway in use', () => {
    const moved = stackPlan(stackArguments(['--port-offset', '7']), true);
    for (const [part, port] of moved.ports) expect(portTable(moved)).toMatch(new RegExp(`${part} .*:${port}`));
    expect(examples(moved)).toContain('curl -N http://127.0.0.1:8007/v1/chat/completions');
    expect(examples(moved)).toContain('base_url="http://127.0.0.1:8007/v1"');
  });
});

describe('stackArguments', () => {
  it.each([
    { argv: [], wanted: undefined },
    { argv: ['--prometheus'], wanted: true },
    { argv: ['--no-prometheus'], wanted: false },
  ])('$argv is Prometheus $wanted', ({ argv, wanted }) => {
    expect(stackArguments(argv).prometheus).toBe(wanted);
  });
});

describe('a taken port', () => {
  it('is found, with the part that wants it; so is one that two parts want', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // a server on a port has an address object
    const ports = new Map([
      ['render', port],
      ['media', 0],
      ['decode', 0],
    ]);
    expect(await takenPorts('127.0.0.1', ports)).toEqual(['render', 'decode']);
    const stack = startStack(plan('--port', `render=${port}`), {
      coordinatorMain: 'nowhere.js',
      print: () => undefined,
    });
    await expect(stack).rejects.toThrow(
      `port ${port} is taken; render wants it. Another one: --port render=${port + 100}`,
    );
    other.close();
  });
});
