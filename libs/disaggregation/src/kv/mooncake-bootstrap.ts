import { UpstreamAnswerError, UpstreamTimeoutError } from '#foundation';
import { jsonAnswer } from '#gateway';
import type { UpstreamClient } from '#gateway';
import type { JsonObject } from '#json';
import { HEADER, hostPortText } from '#protocol';
import type { HostPort, RequestScope } from '#protocol';
import { ExpiringCache } from './expiring-cache.ts';

/** One engine of a prefill worker. */
export interface PrefillEngine {
  /** Its data-parallel rank, digits. */
  readonly rank: string;
  /** A JSON string, as it came. */
  readonly id: Buffer;
}

/** Workers that are remembered. */
const REMEMBERED = 1024;
/** Milliseconds that a worker's engines are taken to be the same: one that starts anew has others. */
const LIFETIME = 60_000;
const LIMIT = { ms: 5_000, setting: 'mooncake bootstrap' } as const;
/** Bytes of an answer, which has some hundred for each rank. */
const MAX_ANSWER = 1024 * 1024;

/** Asks prefill workers for their engines (`sidecar.md` 4.7). */
export class MooncakeBootstrap {
  private readonly known: ExpiringCache<readonly PrefillEngine[]>;

  /**
   * @param client calls prefill workers
   * @param port on which each of them answers, without TLS
   * @param now milliseconds on any clock
   */
  constructor(
    private readonly client: UpstreamClient,
    private readonly port: number,
    now?: () => number,
  ) {
    this.known = new ExpiringCache(REMEMBERED, LIFETIME, now);
  }

  /** `http://host:port`, which decode asks as well. */
  addressOf({ host }: HostPort): string {
    return `http://${hostPortText({ host, port: this.port })}`;
  }

  /**
   * @returns at least one
   * @throws UpstreamError, UpstreamConnectionError, UpstreamTimeoutError, UpstreamAnswerError
   */
  async engines(scope: RequestScope, prefiller: HostPort): Promise<readonly PrefillEngine[]> {
    const key = hostPortText(prefiller);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const engines = enginesIn(await this.ask(scope, prefiller));
    this.known.set(key, engines);
    return engines;
  }

  /** The next request asks anew. */
  forget(prefiller: HostPort): void {
    this.known.delete(hostPortText(prefiller));
  }

  private async ask(scope: RequestScope, prefiller: HostPort): Promise<JsonObject> {
    const reply = await this.client.send({
      scope,
      upstream: 'prefill',
      step: 'prefill',
      method: 'GET',
      base: this.addressOf(prefiller),
      path: '/query',
      headers: [HEADER.requestId, scope.id],
      body: undefined,
      headLimit: LIMIT,
      idleLimit: 'whole',
      signal: scope.signal,
    });
    return jsonAnswer(reply, 'prefill', MAX_ANSWER);
  }
}

/** What a client is told of a query that failed: all of it is a 502, a worker that takes too long included. */
export function bootstrapFailure(error: unknown): unknown {
  return error instanceof UpstreamTimeoutError
    ? new UpstreamAnswerError('prefill', 'no bootstrap query in time', error)
    : error;
}

function enginesIn(answer: JsonObject): readonly PrefillEngine[] {
  const engines: PrefillEngine[] = [];
  for (const rank of answer.keys()) {
    const value = answer.get(rank);
    if (value?.kind !== 'object') throw unusable();
    const id = value.member('engine_id');
    // a copy, since what is remembered must not keep the whole answer; the rank becomes a header's value
    if (id?.string && /^\d{1,9}$/.test(rank)) engines.push({ rank, id: Buffer.from(id.bytes) });
  }
  if (engines.length === 0) throw unusable();
  return engines;
}

function unusable(): UpstreamAnswerError {
  return new UpstreamAnswerError('prefill', 'a bootstrap query without a usable engine_id');
}
