import type { UpstreamCall, UpstreamClient, UpstreamReply } from '#gateway';
import type { Rope } from '#json';
import { HEADER, hostPortText, withoutHeaders } from '#protocol';
import type { HostPort } from '#protocol';
import type { DisaggRequest } from './disagg-request.ts';
import type { Stage, StageEnd } from './disagg.observer.ts';
import { endOf, failureOf } from './stage-failure.ts';

/** One call for a stage. */
export interface Leg {
  readonly stage: Stage;
  /** Base URL. */
  readonly base: string;
  readonly body: Rope;
  /** Flat, lower-case; each replaces the client's header of that name. */
  readonly headers?: readonly string[];
  /** Where it is not the client's. */
  readonly path?: string;
  /** Whether the client's headers stay behind, as with encode. */
  readonly isBare?: boolean;
  /** Follows `scope.signal` where given. */
  readonly signal?: AbortSignal;
  readonly item?: { readonly index: number; readonly width: number };
}

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: UpstreamReply['headers'];
  readonly bytes: Buffer;
}

/** A client for each stage: its connections, its TLS. */
export type StageClients = Readonly<Record<Stage, UpstreamClient>>;

const NO_LIMIT = { ms: 0, setting: 'none' } as const;

/** Calls the workers of the stages (`sidecar.md` 4.0). */
export class StageClient {
  constructor(
    private readonly clients: StageClients,
    /** Stages that are called over https. */
    private readonly secure: ReadonlySet<Stage>,
  ) {}

  /** The base URL of a remote worker. */
  baseOf(stage: Stage, target: HostPort): string {
    return `${this.secure.has(stage) ? 'https' : 'http'}://${hostPortText(target)}`;
  }

  /**
   * Sends the call and reads the answer to its end, whatever its status; the stage ends with it.
   * @param check throws for an answer that says in its body that the stage has failed
   * @throws as `UpstreamClient.send` and `check`, and UpstreamAnswerError for an answer that is too large
   */
  async whole(request: DisaggRequest, leg: Leg, check?: (answer: WholeAnswer) => Promise<void>): Promise<WholeAnswer> {
    const watch = request.watch.stage(leg.stage);
    let status: number | undefined;
    try {
      const answer = await this.read(request, leg);
      status = answer.status;
      await check?.(answer);
      watch.ended(endOf(status));
      return answer;
    } catch (error) {
      watch.ended({ status, failure: failureOf(error) });
      throw error;
    }
  }

  /** The same for one call of a stage that has several, and ends with the last. */
  async read(request: DisaggRequest, leg: Leg): Promise<WholeAnswer> {
    const reply = await this.send(request, leg);
    const bytes = await reply.body.readAll(this.clients[leg.stage].maxResponseBytes);
    return { status: reply.status, headers: reply.headers, bytes };
  }

  /**
   * Sends the call and gives the head of the answer, whatever its status; the stage ends with the last byte.
   * @throws as `UpstreamClient.send`
   */
  async stream(request: DisaggRequest, leg: Leg): Promise<UpstreamReply> {
    return this.observed(request, leg.stage, () => this.send(request, leg));
  }

  /** The client's request, its body as it arrives, to the engine. @throws as `UpstreamClient.send` */
  async forward(request: DisaggRequest, base: string): Promise<UpstreamReply> {
    const { body, headers } = await request.body.stream();
    const call = this.call(request, { stage: 'decode', base, body: [], headers });
    return this.observed(request, 'decode', () => this.clients.decode.send({ ...call, body }));
  }

  private async observed(
    request: DisaggRequest,
    stage: Stage,
    send: () => Promise<UpstreamReply>,
  ): Promise<UpstreamReply> {
    const watch = request.watch.stage(stage);
    try {
      const reply = await send();
      reply.body.observe({
        end: (error) => {
          watch.ended(endOfStream(reply.status, error));
        },
      });
      return reply;
    } catch (error) {
      watch.ended({ status: undefined, failure: failureOf(error) });
      throw error;
    }
  }

  private send(request: DisaggRequest, leg: Leg): Promise<UpstreamReply> {
    const headers = ['content-type', 'application/json', ...(leg.headers ?? [])];
    return this.clients[leg.stage].send(this.call(request, { ...leg, headers }));
  }

  private call({ scope, path }: DisaggRequest, leg: Leg): UpstreamCall {
    const { stage, item, isBare = false } = leg;
    const own = lastOfEach([HEADER.requestId, scope.id, ...(leg.headers ?? [])]);
    return {
      scope,
      upstream: stage,
      step: item === undefined ? stage : `${stage}[${item.index}]`,
      method: 'POST',
      base: leg.base,
      path: leg.path ?? path,
      headers: isBare ? own : [...withoutHeaders(scope.headers, namesOf(own)), ...own],
      body: leg.body,
      headLimit: NO_LIMIT,
      idleLimit: NO_LIMIT,
      signal: leg.signal ?? scope.signal,
      ...(item === undefined ? {} : { item }),
    };
  }
}

function endOfStream(status: number, error: Error | undefined): StageEnd {
  return error === undefined ? endOf(status) : { status, failure: failureOf(error) };
}

function lastOfEach(flat: readonly string[]): string[] {
  const values = new Map<string, string>();
  for (let index = 0; index + 1 < flat.length; index += 2) values.set(flat[index] ?? '', flat[index + 1] ?? '');
  return [...values].flat();
}

function namesOf(flat: readonly string[]): ReadonlySet<string> {
  return new Set(flat.filter((_, index) => index % 2 === 0));
}
