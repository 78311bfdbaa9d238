import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { duration } from '#config';
import { hostPort } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { MetricsSource } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';

export const metricsSourceParams = z
  .strictObject({
    scheme: z.enum(['http', 'https']).default('http'),
    path: z.string().startsWith('/').default('/metrics'),
    port: z.int().min(1).max(65_535).optional().describe('Default: the port that requests go to.'),
    insecureSkipVerify: z.boolean().default(true).describe('Take any certificate.'),
    caCertPath: z.string().optional().describe('PEM file of authorities that are trusted.'),
    clientCertPath: z.string().optional().describe('PEM file of the certificate to show; needs clientKeyPath.'),
    clientKeyPath: z.string().optional(),
    interval: duration().optional().describe('Time between scrapes of an endpoint; default: the flag.'),
    families: z.array(z.string()).optional().describe('Has no effect: nothing is read but what is needed.'),
  })
  .refine(({ clientCertPath: cert, clientKeyPath: key }) => (cert === undefined) === (key === undefined), {
    error: 'clientCertPath and clientKeyPath go together',
  })
  .prefault({});

export type MetricsSourceParams = z.output<typeof metricsSourceParams>;

/** What a TLS connection to a worker is made with. */
export interface ScrapeTls {
  readonly rejectUnauthorized: boolean;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Knows where endpoints say how they are. */
@SchedulingPlugin({ type: 'metrics-data-source', parameters: metricsSourceParams })
export class MetricsDataSource implements MetricsSource {
  readonly path: string;
  /** Milliseconds; undefined where the flag decides. */
  readonly interval: number | undefined;
  readonly tls: ScrapeTls;

  /** @throws Error for a certificate that cannot be read */
  constructor(private readonly params: MetricsSourceParams) {
    this.path = params.path;
    this.interval = params.interval;
    this.tls = {
      rejectUnauthorized: !params.insecureSkipVerify,
      ...pem('ca', params.caCertPath),
      ...pem('cert', params.clientCertPath),
      ...pem('key', params.clientKeyPath),
    };
  }

  origin({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
    return `${this.params.scheme}://${hostPort({ address, port: this.params.port ?? port })}`;
  }
}

function pem<Name extends string>(name: Name, path: string | undefined): { [Key in Name]?: Buffer } {
  // one property, under the name that was asked for
  return (path === undefined ? {} : { [name]: readFileSync(path) }) as { [Key in Name]?: Buffer };
}
