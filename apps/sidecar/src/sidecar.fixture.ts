import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Environment } from '#config';
import { FakeUpstream, json } from '#testing';
import type { Handler, RecordedRequest } from '#testing';
import { optionsOf } from './options.fixture.ts';
import type { SidecarOptions } from './sidecar.options.ts';
import { startSidecar } from './start.ts';
import type { RunningSidecar, SidecarSurroundings } from './start.ts';

const silence = (): void => undefined;
const SILENT: LoggerService = { log: silence, warn: silence, error: silence };

/** What a test wants to be different. */
export interface SidecarSetting {
  readonly flags?: readonly string[];
  readonly env?: Environment;
  readonly options?: Partial<SidecarOptions>;
  readonly surroundings?: Partial<SidecarSurroundings>;
}

/** A sidecar before that engine, on a free port and over plain HTTP where the test does not say otherwise. */
export function aRunningSidecar(
  engine: Pick<FakeUpstream, 'url'>,
  setting: SidecarSetting = {},
): Promise<RunningSidecar> {
  Logger.overrideLogger(SILENT);
  const { flags = [], env = {}, options = {}, surroundings = {} } = setting;
  const own = ['--secure-proxy=false', `--model-server-port=${portOf(engine.url)}`, '--shutdown-timeout=1s'];
  return startSidecar(
    { ...optionsOf([...own, ...flags], env), port: 0, ...options },
    { logger: SILENT, askKubernetes: noKubernetes, ...surroundings },
  );
}

function noKubernetes(): never {
  throw new Error('no Kubernetes in this test');
}

/** As clients of this machine reach it. */
export function urlOf({ urls }: RunningSidecar, rank = 0): string {
  const url = new URL(urls.get(rank) ?? '');
  url.hostname = '127.0.0.1';
  return url.origin;
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** A decode engine: answers with what it is asked, in order. */
export function anEngine(answer: Handler = (_request, response) => json(response, ANSWER)): Promise<FakeUpstream> {
  return FakeUpstream.start(answer);
}

export const ANSWER = '{"id":"d","choices":[{"finish_reason":"stop","message":{"content":"hi"}}]}';

/** What a prefill worker of nixlv2 says: digits beyond 2^53 among it. */
export const PREFILLED =
  '{"id":"p","choices":[{"finish_reason":"length"}],"kv_transfer_params":' +
  '{"remote_engine_id":"e","remote_block_ids":[1,9007199254740993],"remote_host":"h","remote_port":4032}}';

/** The last request's body, read the way that loses digits: for what holds none. */
export function bodyOf(request: RecordedRequest | undefined): Record<string, unknown> {
  // the test wrote an object
  return JSON.parse(request?.body.toString() ?? 'null') as Record<string, unknown>;
}

/** Below the ports that systems give to connections and to servers that ask for any. */
const FIRST = 10_000;
const LAST = 32_000;

/** The first of so many ports in a row that nobody listens on. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = FIRST + randomInt(LAST - FIRST);
    const offsets = Array.from({ length: count }, (_, offset) => offset);
    if ((await Promise.all(offsets.map((offset) => isFree(base + offset)))).every(Boolean)) return base;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '::');
  const found = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return found;
}
