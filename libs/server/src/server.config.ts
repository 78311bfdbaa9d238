import { z } from 'zod';
import { duration, integer, listenAddress, mebibytes } from '#config';

/** The `server` section: the listener that clients talk to. */
export const serverConfig = z
  .strictObject({
    listen_addr: listenAddress().prefault(':8080').describe('Address of the main listener.'),
    metrics_port: integer({ max: 65_535 })
      .default(9090)
      .describe('Port of metrics and admin of all workers, on all interfaces. 0 or less: no such listener.'),
    metrics_cert_dir: z
      .string()
      .default('')
      .describe('Folder with tls.crt and tls.key for the metrics listener. Empty: plain HTTP.'),
    secure_serving: z.boolean().default(false).describe('Serve HTTPS on the main listener.'),
    cert_path: z
      .string()
      .default('')
      .describe(
        'Folder with tls.crt and tls.key, read again when they change. Empty: a self-signed certificate, for tests.',
      ),
    tls_min_version: z
      .enum(['', 'VersionTLS12', 'VersionTLS13'])
      .default('')
      .describe('Lowest TLS version. Empty: VersionTLS12.'),
    tls_cipher_suites: z
      .array(z.string())
      .default([])
      .describe("Cipher suites below TLS 1.3, by their IANA names. Empty: the platform's."),
    read_timeout: duration('30s').describe(
      'Time for a whole request to arrive; also how long an idle connection is kept.',
    ),
    write_timeout: duration('120s').describe(
      'Time from the first byte of a buffered answer to its last. Streams have none.',
    ),
    write_stall_timeout: duration('60s').describe('A client that takes nothing for this long is dropped. 0s: never.'),
    drain_delay: duration('0s').describe('After SIGTERM, readiness is off but requests are served for this long.'),
    shutdown_timeout: duration('25s').describe('After SIGTERM, what is left is broken off at this time.'),
    max_request_body_size: mebibytes({ min: 0, max: 2047 })
      .default(64)
      .describe('Largest request body in MiB. 0: the default.'),
    passthrough: z
      .boolean()
      .default(true)
      .describe('Send every path that is not served here to the gateway, as the decode profile. false: 404.'),
    trust_transfer_params: z
      .boolean()
      .default(false)
      .describe(
        'Keep kv_transfer_params, ec_transfer_params and tokens that a client sends. They name hosts that workers connect to.',
      ),
    sse_heartbeat: duration('0s').describe(
      'Comment line sent into a silent stream this often. Its first one fixes the status at 200. 0s: none.',
    ),
    workers: integer({ min: 1, max: 256 }).default(1).describe('Processes that share the port; one uses one core.'),
    warmup: duration('2s').describe('Time for warming up against an in-process upstream before readiness. 0s: none.'),
  })
  .describe('The listener that clients talk to.');

export type ServerConfig = Readonly<z.output<typeof serverConfig>>;

export const SERVER_CONFIG = Symbol('server:config');

const DEFAULT_BODY_MEBIBYTES = 64;

/** Largest request body in bytes. */
export function maxBodyBytes(config: Pick<ServerConfig, 'max_request_body_size'>): number {
  const size = config.max_request_body_size === 0 ? DEFAULT_BODY_MEBIBYTES : config.max_request_body_size;
  return size * 1024 * 1024;
}
