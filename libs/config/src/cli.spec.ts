import { describe, expect, it } from '@jest/globals';
import { defineFlags, parseFlags } from './cli.ts';
import { ConfigError } from './config-error.ts';
import { helpText } from './help-text.ts';

const flags = defineFlags([
  { name: 'config', kind: 'text', value: 'FILE', help: 'Configuration file.', default: 'config/coordinator.yaml' },
  { name: 'v', kind: 'integer', value: 'LEVEL', help: 'Log level.', path: 'log_level' },
  {
    name: 'metrics-port',
    kind: 'integer',
    value: 'PORT',
    help: 'Port of /metrics.',
    path: 'server.metrics_port',
    default: 9090,
  },
  { name: 'tracing', kind: 'switch', help: 'Export traces.', path: 'tracing' },
  { name: 'tls-cipher-suites', kind: 'list', help: 'Cipher suites.', path: 'server.tls_cipher_suites' },
]);

function failure(argv: string[]): ConfigError {
  try {
    parseFlags(flags, argv);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseFlags', () => {
  it.each<[string[], Record<string, unknown>]>([
    [['-v', '4'], { log_level: 4 }],
    [['-v=4'], { log_level: 4 }],
    [['--v=4'], { log_level: 4 }],
    [['--v', '4'], { log_level: 4 }],
    [['-v', '-1'], { log_level: -1 }],
    [['--metrics-port=9091'], { 'server.metrics_port': 9091 }],
    [['-metrics-port', '9091'], { 'server.metrics_port': 9091 }],
    [['--tracing'], { tracing: true }],
    [['-tracing'], { tracing: true }],
    [['--tracing=true'], { tracing: true }],
    [['--tracing=false'], { tracing: false }],
    [['-tracing=F'], { tracing: false }],
    [['--tracing', '--tracing=false'], { tracing: false }],
    [['--tls-cipher-suites=A, B'], { 'server.tls_cipher_suites': ['A', 'B'] }],
    [['--tls-cipher-suites=A', '--tls-cipher-suites', 'B,C'], { 'server.tls_cipher_suites': ['A', 'B', 'C'] }],
    [['--tls-cipher-suites='], { 'server.tls_cipher_suites': [] }],
    [['--'], {}],
    [[], {}],
  ])('%j overrides %j', (argv, overrides) => {
    expect(parseFlags(flags, argv).overrides).toEqual(overrides);
  });

  it.each([
    ['--config', 'a.yaml'],
    ['--config=a.yaml'],
    ['-config', 'a.yaml'],
    ['-config=a.yaml'],
    ['--config=b', '--config', 'a.yaml'],
  ])('reads the file from %j %j', (...argv) => {
    expect(parseFlags(flags, argv)).toMatchObject({ values: { config: 'a.yaml' }, overrides: {} });
  });

  it('has defaults as values, and overrides nothing with them', () => {
    const { values, overrides, overrideNames } = parseFlags(flags, []);
    const file: string = values.config;
    const level: number | undefined = values.v;
    expect({ file, level }).toEqual({ file: 'config/coordinator.yaml', level: undefined });
    expect(values).toMatchObject({ 'metrics-port': 9090, tracing: false, help: false, version: false, check: false });
    expect({ overrides, overrideNames }).toEqual({ overrides: {}, overrideNames: {} });
  });

  it('tells how messages call what was overridden', () => {
    expect(parseFlags(flags, ['-v', '1', '-metrics-port=1']).overrideNames).toEqual({
      log_level: '-v',
      'server.metrics_port': '--metrics-port',
    });
  });

  it.each([
    ['--help', 'help'],
    ['-h', 'help'],
    ['--version', 'version'],
    ['-check', 'check'],
  ])('knows %s', (argument, name) => {
    expect(parseFlags(flags, [argument]).values).toMatchObject({ [name]: true });
  });

  it('lists everything that is wrong', () => {
    const error = failure(['--metrics-prot=1', '-v', 'x', '--tracing', 'false', '--config', '--zzz', 'hunter22']);
    expect(error.message).toBe(
      [
        'the command line is invalid (--help lists the flags):',
        '  --metrics-prot  unknown flag (did you mean --metrics-port?)',
        '  -v              expected an integer, got "x"',
        '  "false"         unexpected argument; a value of --tracing goes behind "="',
        '  --config        needs a value: --config=FILE',
        '  "hunter22"      unexpected argument',
      ].join('\n'),
    );
  });

  it.each([
    [['-v'], '-v', 'needs a value: -v=LEVEL'],
    [['-v='], '-v', 'expected an integer, got ""'],
    [['-v', '1.5'], '-v', 'expected an integer, got "1.5"'],
    [['--tracing=maybe'], '--tracing', 'expected true or false, got "maybe"'],
    [['extra'], '"extra"', 'unexpected argument'],
    [['--', 'extra'], '"extra"', 'unexpected argument'],
    [['--constructor'], '--constructor', 'unknown flag'],
    [['--no-tracing'], '--no-tracing', 'unknown flag (did you mean --tracing?)'],
  ])('refuses %j', (argv, path, message) => {
    expect(failure(argv).problems).toEqual([{ path, message }]);
  });

  it('does not show what follows an unknown flag', () => {
    expect(failure(['--api-token', 'hunter22', '--other-token=hunter22']).message).not.toContain('hunter22');
  });
});

describe('helpText', () => {
  it('is made from the table', () => {
    expect(helpText(flags, { name: 'coordinator', summary: 'Runs the pipeline.' })).toBe(
      `Runs the pipeline.

Usage: coordinator [flags]

Flags:
      --config FILE            Configuration file. (default config/coordinator.yaml)
  -v LEVEL                     Log level.
      --metrics-port PORT      Port of /metrics. (default 9090)
      --tracing[=false]        Export traces.
      --tls-cipher-suites A,B  Cipher suites.
      --check                  Check the configuration, print it with defaults filled in, and exit.
      --version                Print the version and exit.
  -h, --help                   Print this help and exit.
`,
    );
  });
});
