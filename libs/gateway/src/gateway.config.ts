import { z } from 'zod';
import { baseUrl, duration, headerName, integer, mebibytes } from '#config';

/** Keys of a section about a server that may be called by https: who proves to be that server. */
export const serverTrust = {
  ca_file: z
    .string()
    .default('')
    .describe('PEM file of the authorities that sign the certificate of an https address.'),
  insecure_skip_verify: z
    .boolean()
    .default(false)
    .describe('Accept any certificate of an https address. For tests: nothing then proves who answers.'),
} as const;

/** The `gateway` section: the outbound client to the Inference Gateway. */
export const gatewayConfig = z
  .strictObject({
    address: baseUrl().describe(
      'Base URL of the Inference Gateway. Keep it without a path: the passthrough ignores one.',
    ),
    profile_header: headerName()
      .prefault('epp-profile')
      .describe('Header that tells the endpoint picker the phase: `encode`, `prefill` or `decode`.'),
    max_idle_conns_per_host: integer({ min: 0, max: 65_536 })
      .default(100)
      .describe('Idle connections kept open for reuse. Connections in use are not limited.'),
    idle_conn_timeout: duration('90s').describe('An idle connection is closed after this time.'),
    timeout: duration('60s').describe(
      'Wait for the response headers of encode, prefill, the probe and a streaming decode; also the longest silence inside an encode or prefill answer.',
    ),
    decode_timeout: duration('10m').describe(
      'Wait for the response headers of a decode that does not stream: they come with its last token.',
    ),
    stream_idle_timeout: duration('0s').describe(
      'Longest silence inside a relayed answer before the worker counts as lost. 0s: no limit.',
    ),
    connect_timeout: duration('30s').describe('Wait for a TCP or TLS connection.'),
    retries: integer({ min: 0, max: 5 })
      .default(1)
      .describe('Repeats of a call whose connection was refused, or broke on reuse, before any response byte.'),
    max_response_size: mebibytes({ min: 1, max: 2047 })
      .default(512)
      .describe('Largest encode, prefill or render answer, in MiB. Relayed answers are not limited.'),
    ...serverTrust,
  })
  .describe('Outbound client to the Inference Gateway.');

export type GatewayConfig = z.output<typeof gatewayConfig>;

/** What the client of upstreams is told; `GatewayConfig` has it all. */
export type UpstreamSettings = Pick<
  GatewayConfig,
  | 'max_idle_conns_per_host'
  | 'idle_conn_timeout'
  | 'connect_timeout'
  | 'retries'
  | 'max_response_size'
  | 'ca_file'
  | 'insecure_skip_verify'
>;

export const GATEWAY_CONFIG = Symbol('gateway:config');
