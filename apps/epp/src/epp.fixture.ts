import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import type { ChannelCredentials, ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';
import { parseFlags } from '#config';
import { EXT_PROC_SERVICE, HEALTH_SERVICE, loadProtos } from '#ext-proc';
import type { ProcessingRequest, ProcessingResponse } from '#ext-proc';
import { eppFlags } from './epp.flags.ts';
import { eppOptions } from './epp.options.ts';
import type { EppOptions } from './epp.options.ts';
import { ANY, TEST_PLUGINS } from './picker.fixture.ts';
import { startEpp } from './start.ts';
import type { EppSurroundings, RunningEpp } from './start.ts';

const protos = loadProtos();
const ExtProcClient = makeGenericClientConstructor(protos.externalProcessor, EXT_PROC_SERVICE);
const HealthClient = makeGenericClientConstructor(protos.health, HEALTH_SERVICE);

const FLAGS = [
  '--grpc-port=0',
  '--grpc-health-port=0',
  '--secure-serving=false',
  '--drain-timeout=0s',
  '--shutdown-timeout=1s',
];

const silence = (): void => undefined;
export const SILENT: LoggerService = { log: silence, warn: silence, error: silence };

/** Options of a command line, on free ports and in plain text where it does not say otherwise. */
export function optionsOf(flags: readonly string[]): EppOptions {
  return eppOptions(parseFlags(eppFlags, flags).values);
}

const SOURCE = /^--(endpoints|pool-name|endpoint-selector)=/;

/** A picker that listens, with one endpoint where the flags name no other source. */
export function aRunningEpp(
  flags: readonly string[] = [],
  surroundings: Partial<EppSurroundings> = {},
): Promise<RunningEpp> {
  Logger.overrideLogger(SILENT);
  const source = flags.some((flag) => SOURCE.test(flag)) ? [] : ['--endpoints=pod=10.0.0.1:8000'];
  const options = optionsOf([...FLAGS, `--config-text=${ANY}`, ...source, ...flags]);
  const failed = (error: unknown): void => {
    throw error;
  };
  return startEpp(options, { plugins: TEST_PLUGINS, logger: SILENT, onDiscoveryFailure: failed, ...surroundings });
}

/** How a stream ended: the status's number, and what it says. */
export interface StreamEnd {
  readonly code: number;
  readonly details: string;
}

/** A stream as Envoy has it, with what came back. */
export class EnvoyStream {
  readonly received: ProcessingResponse[] = [];
  readonly ended: Promise<StreamEnd>;
  private whenReceived: (() => void)[] = [];

  private constructor(readonly call: ClientDuplexStream<ProcessingRequest, ProcessingResponse>) {
    call.on('data', (message: ProcessingResponse) => {
      this.received.push(message);
      for (const wake of this.whenReceived.splice(0)) wake();
    });
    call.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      call.on('status', ({ code, details }: StreamEnd) => {
        resolve({ code, details });
      });
    });
  }

  static open(client: InstanceType<typeof ExtProcClient>): EnvoyStream {
    const process: unknown = client['Process'];
    if (typeof process !== 'function') throw new Error('the client has no such method');
    // a method of the definition, which streams both ways
    const call = process.call(client) as ClientDuplexStream<ProcessingRequest, ProcessingResponse>;
    return new EnvoyStream(call);
  }

  say(...messages: readonly ProcessingRequest[]): void {
    for (const message of messages) this.call.write(message);
  }

  /** Done when that many messages came. */
  async has(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.whenReceived.push(resolve));
  }
}

export function extProcClient(
  port: number,
  channel: ChannelCredentials = credentials.createInsecure(),
  options: Readonly<Record<string, string | number>> = {},
): InstanceType<typeof ExtProcClient> {
  return new ExtProcClient(`localhost:${port}`, channel, options);
}

export interface HealthReply {
  readonly status?: string;
  readonly statuses?: Readonly<Record<string, { readonly status: string }>>;
}

/** Asks for the health of a service. @throws ServiceError */
export async function healthOn(
  port: number,
  service = '',
  method: 'Check' | 'List' = 'Check',
  channel: ChannelCredentials = credentials.createInsecure(),
): Promise<HealthReply> {
  const client = new HealthClient(`127.0.0.1:${port}`, channel);
  const call: unknown = client[method];
  if (typeof call !== 'function') throw new Error('the client has no such method');
  try {
    return await new Promise<HealthReply>((resolve, reject) => {
      call.call(client, { service }, (error: ServiceError | null, reply: HealthReply) => {
        if (error === null) resolve(reply);
        else reject(error);
      });
    });
  } finally {
    client.close();
  }
}

/** The code that a watch is refused with. */
export async function watchRefusal(port: number): Promise<number> {
  const client = new HealthClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const call: unknown = client['Watch'];
  if (typeof call !== 'function') throw new Error('the client has no such method');
  // a method of the definition, which streams its answers
  const stream = call.call(client, { service: '' }) as ClientDuplexStream<unknown, unknown>;
  stream.on('data', () => undefined);
  try {
    return await new Promise<number>((resolve) => {
      stream.on('error', (error: ServiceError) => {
        resolve(error.code);
      });
    });
  } finally {
    client.close();
  }
}
