import { z } from 'zod';
import { ConfigError, integer, parseTree, readTree } from '#config';
import type { FlagValue } from '#config';

/** Text, as it is on the command line. */
const port = z
  .union([z.int(), z.string()])
  .transform((value) => (value === 0 ? '' : String(value)))
  .optional();
const text = z.string().optional();
const flag = z.boolean().optional();
const whole = integer().optional();
const list = z.array(z.string()).optional();

/** Settings that a file may hold, called as their flags are. */
export const sidecarConfig = z.strictObject({
  port,
  'model-server-port': port,
  'vllm-port': port,
  'data-parallel-size': whole,
  'kv-connector': text,
  'ec-connector': text,
  'mooncake-bootstrap-port': whole,
  'p2p-connector-port': whole,
  'enable-p2p-pull': flag,
  'prefill-max-retries': whole,
  'prefill-retry-backoff': text,
  'enable-prefiller-sampling': flag,
  'decode-chunk-size': whole,
  'secure-proxy': flag,
  'cert-path': text,
  'enable-tls': list,
  'tls-insecure-skip-verify': list,
  'max-idle-conns-per-host': whole,
  'enable-ssrf-protection': flag,
  'inference-pool': text,
  'pool-group': text,
  tracing: flag,
  'metrics-port': whole,
  'p2p-key-style': text,
  'max-request-body-size': whole,
  'drain-delay': text,
  'shutdown-timeout': text,
});

/** By the name of the flag. What is not set is not there. */
export type ConfigValues = Readonly<Record<string, FlagValue>>;

/** Where the configuration is: text, or a file, or nowhere. */
export interface ConfigSource {
  readonly text: string | undefined;
  readonly file: string | undefined;
}

/**
 * What the configuration sets. A number that is 0 and a text or list that is empty set nothing, but for the number of retries
 * (`sidecar.md` 13).
 * @throws ConfigError with everything that is wrong with it
 */
export function readSidecarConfig({ text: given, file }: ConfigSource): ConfigValues {
  try {
    const tree = readTree({ text: given, file: file ?? (given === undefined ? undefined : '--configuration') });
    const { config } = parseTree(tree, sidecarConfig, { env: {}, envPrefix: 'SIDECAR' });
    return Object.fromEntries(
      Object.entries(config).flatMap(([name, value]) => (isSet(name, value) ? [[name, value]] : [])),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const where = error.problems.length === 0 ? error.message : (file ?? '--configuration');
    throw new ConfigError(`failed to unmarshal sidecar configuration: ${where}`, error.problems, { cause: error });
  }
}

function isSet(name: string, value: FlagValue | undefined): value is FlagValue {
  if (value === undefined) return false;
  if (typeof value === 'boolean' || name === 'prefill-max-retries') return true;
  if (typeof value === 'number') return value !== 0;
  return value.length > 0;
}
