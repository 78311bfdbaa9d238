import { randomUUID } from 'node:crypto';
import { bodyPieces, readHeaders } from '#ext-proc';
import type { HttpBody, HttpHeaders, Metadata, ReadHeaders } from '#ext-proc';
import { ByteCollector } from '#foundation';
import { HEADER } from '#protocol';
import { SchedulingError, hostPort } from '#scheduling';
import type { Decision } from '#scheduling';
import type { ExchangeScope } from './exchange.scope.ts';
import { CONTENT_LENGTH, ROUTING } from './header-classes.ts';
import { requestMutation, reservedMutation } from './header-mutations.ts';
import { destinationMetadata, requestMetadata, subsetHint } from './metadata.ts';
import { untilOver } from './route-watch.ts';

/** Bytes of a request; Envoy has limits of its own, and this one keeps a mistake there from taking all memory. */
const MAX_BODY = 512 * 1024 * 1024;
const NO_CONTENT = 204;
const PATH_HEADERS = [':path', 'x-original-path', 'x-forwarded-path'];
const DEFAULT_PATH = '/v1/completions';

/** The way of a request to its endpoint: nothing is answered before it is whole, then its headers, then its body (`epp.md` 1.2 to 1.5). */
export class RequestPhase {
  private inbound: ReadHeaders = { values: new Map(), repeated: new Set(), opaque: new Set() };
  private body: ByteCollector | undefined;
  private isBegun = false;
  private metadata: Metadata | undefined;

  constructor(private readonly scope: ExchangeScope) {}

  /** @throws SchedulingError for a request without a body that no endpoint is there for */
  async headers({ headers, end_of_stream: isWhole }: HttpHeaders, metadata: Metadata | undefined): Promise<void> {
    this.inbound = readHeaders(headers);
    this.isBegun = true;
    const { values, repeated } = this.inbound;
    const given = values.get(HEADER.requestId) ?? '';
    const id = given === '' ? randomUUID() : given;
    this.scope.requestId = id;
    this.scope.parts.observer.received({ id, headers: values, repeated });
    if (isWhole === true) return this.sendAnywhere(metadata);
    values.set(HEADER.requestId, id);
    const announced = Number(values.get(CONTENT_LENGTH));
    this.body = new ByteCollector(MAX_BODY, Number.isSafeInteger(announced) ? announced : undefined);
  }

  /**
   * Another piece, the last of which sends the request on.
   * @throws SchedulingError when it is turned away, Error for a body whose headers Envoy does not send: it could be sent nowhere
   */
  async piece({ body: bytes, end_of_stream: isLast }: HttpBody, metadata: Metadata | undefined): Promise<void> {
    const { body } = this;
    if (!this.isBegun) throw new Error('a request body came without headers: request_header_mode has to be SEND');
    if (body === undefined) return;
    this.metadata = metadata;
    if (bytes !== undefined && !body.add(bytes)) throw new SchedulingError('BadRequest', 'request body is too large');
    if (isLast === true) await this.sendOn(body.take(), true);
  }

  /**
   * Where a body is followed by trailers, none of its pieces is marked as the last one: they end it.
   * @throws SchedulingError when the request is turned away
   */
  async trailers(metadata: Metadata | undefined): Promise<void> {
    const { body } = this;
    if (body === undefined) return;
    this.metadata = metadata ?? this.metadata;
    await this.sendOn(body.take(), false);
    if (this.scope.isAnswered) return;
    await this.scope.parts.send({ request_trailers: {} });
  }

  private async sendOn(body: Buffer, hasEnd: boolean): Promise<void> {
    this.body = undefined;
    const decision = await this.decide(body);
    if (decision.isReserved) return this.answerReserved(decision);
    if (!this.scope.decide(decision)) return;
    const { observer, send } = this.scope.parts;
    await this.sendHeaders(decision);
    if (decision.body.length > 0 || hasEnd) {
      for (const piece of bodyPieces(decision.body, hasEnd)) {
        await send({ request_body: { response: { body_mutation: { streamed_response: piece } } } });
      }
    }
    observer.sent();
  }

  /** The client is told the best endpoint, and nothing goes there (`coordinator.md` C.8). */
  private async answerReserved(decision: Decision): Promise<void> {
    if (!this.scope.reserve(decision)) return;
    const [best = ''] = decision.destination.split(',', 1);
    await this.scope.parts.send({
      immediate_response: { status: { code: NO_CONTENT }, headers: reservedMutation(best), body: Buffer.alloc(0) },
    });
  }

  private decide(body: Buffer): Promise<Decision> {
    const { director, observer } = this.scope.parts;
    // a plugin's headers go to the worker, and those that a client sends under their names do not pass for them
    const headers = new Map([...this.inbound.values].filter(([name]) => !ROUTING.has(name)));
    const routed = {
      id: headers.get(HEADER.requestId) ?? '',
      path: pathOf(headers),
      headers,
      body,
      subset: this.subset(this.metadata),
      signal: this.scope.signal,
    };
    return director.route(routed, untilOver(observer, this.scope));
  }

  private subset(metadata: Metadata | undefined): readonly string[] | undefined {
    return this.scope.parts.options.heedsSubset ? subsetHint(metadata) : undefined;
  }

  private async sendHeaders(decision: Decision): Promise<void> {
    const { destination, request, body } = decision;
    const { observer, options, send } = this.scope.parts;
    const mutation = requestMutation({
      inbound: this.inbound,
      headers: request.headers,
      propagated: observer.propagated(),
      destination,
      bodyLength: body.length,
    });
    await send({
      request_headers: { response: { header_mutation: mutation, clear_route_cache: true } },
      dynamic_metadata: requestMetadata(decision, options.emitsScores),
    });
  }

  /** A request without a body is not looked at: any endpoint will do that the gateway allows (`epp.md` 1.7). */
  private async sendAnywhere(metadata: Metadata | undefined): Promise<void> {
    const { director, observer, send } = this.scope.parts;
    const destination = hostPort(director.any(this.subset(metadata)));
    const mutation = requestMutation({
      inbound: this.inbound,
      headers: new Map(),
      propagated: observer.propagated(),
      destination,
      bodyLength: 0,
    });
    await send({
      request_headers: { response: { header_mutation: mutation, clear_route_cache: true } },
      dynamic_metadata: destinationMetadata(destination),
    });
    observer.sent();
  }
}

function pathOf(headers: ReadonlyMap<string, string>): string {
  const given = PATH_HEADERS.map((name) => headers.get(name) ?? '').find((path) => path !== '');
  return given ?? DEFAULT_PATH;
}
