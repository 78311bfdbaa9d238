import { describe, expect, it } from '@jest/globals';
import { simulatorArguments } from './simulator-arguments.ts';

describe('simulatorArguments', () => {
  it.each([
    {
      argv: '--role render --port 8101 --kwargs-bytes 500',
      expected: { render: { port: 8101, kwargs_bytes: 500 }, workers: [] },
    },
    {
      argv: '--role worker --worker-role prefill --kv sglang',
      expected: { kv: 'sglang', workers: [{ role: 'prefill', port: 0 }] },
    },
    { argv: '--role worker', expected: { workers: [{ role: 'all', port: 0 }] } },
    { argv: '--role media --host 0.0.0.0', expected: { host: '0.0.0.0', media: { port: 0 } } },
    {
      argv: '--role gateway --coordinator http://c:8080 --decode http://a:1 --decode http://b:2',
      expected: {
        gateway: { coordinator: 'http://c:8080', endpoints: { encode: [], decode: ['http://a:1', 'http://b:2'] } },
      },
    },
    {
      argv: '--role gateway --picker epp:9002',
      expected: { gateway: { picker: 'epp:9002' } },
    },
  ])('reads $argv', ({ argv, expected }) => {
    expect(simulatorArguments(argv.split(' '))).toMatchObject(expected);
  });

  it('reads the example configuration', () => {
    expect(simulatorArguments(['--config', 'config/local/simulator.yaml'])).toMatchObject({
      gateway: { port: 8000 },
      workers: ['encode', 'encode', 'prefill', 'prefill', 'decode', 'decode'].map((role) => ({ role })),
    });
  });

  it('is undefined for --help', () => {
    expect(simulatorArguments(['--help'])).toBeUndefined();
  });

  it.each([
    '',
    '--role nobody',
    '--role gateway --picker epp',
    '--rol worker',
    '--role worker --port many',
    '--role worker --worker-role x',
    '--config nowhere.yaml',
  ])('refuses "%s"', (argv) => {
    expect(() => simulatorArguments(argv.split(' ').filter((word) => word !== ''))).toThrow();
  });
});
