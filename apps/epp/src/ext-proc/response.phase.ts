import { bodyPieces, readHeaders } from '#ext-proc';
import type { HttpBody, HttpHeaders, Metadata } from '#ext-proc';
import { ByteCollector } from '#foundation';
import type { ExchangeScope } from './exchange.scope.ts';
import { responseMutation } from './header-mutations.ts';
import { pluginMetadata, servedEndpoint } from './metadata.ts';
import { modelRestorer } from './model-names.ts';
import type { Restore } from './model-names.ts';
import { AnswerUsage, StreamUsage } from './usage.ts';
import type { UsageReader } from './usage.ts';

/** Bytes of an answer in one piece that are held back until it is whole; a longer one goes on as it comes. */
const MAX_HELD = 64 * 1024 * 1024;

/** The way of an answer back: a stream goes on chunk by chunk, any other answer when it is whole (`epp.md` 1.6). */
export class ResponsePhase {
  private isStream = false;
  private hasBytes = false;
  private isComplete = false;
  private restore: Restore | undefined;
  private reader: UsageReader | undefined;
  private held = new ByteCollector(MAX_HELD);

  constructor(private readonly scope: ExchangeScope) {}

  async headers({ headers, end_of_stream: isWhole }: HttpHeaders, metadata: Metadata | undefined): Promise<void> {
    const { observer, send } = this.scope.parts;
    const answer = readHeaders(headers);
    this.isStream = (answer.values.get('content-type') ?? '').toLowerCase().includes('text/event-stream');
    const { isStream } = this;
    observer.responseHeaders({ status: statusOf(answer.values), served: servedEndpoint(metadata), isStream });
    this.begin();
    if (isWhole === true) this.complete();
    await send({ response_headers: { response: { header_mutation: responseMutation(answer) } } });
  }

  async piece({ body = EMPTY, end_of_stream: isLast = false }: HttpBody): Promise<void> {
    this.begin();
    this.observe(body);
    if (this.isStream) return this.pass(this.restored(body), isLast);
    if (this.held.add(body)) {
      if (isLast) await this.pass(this.restored(this.held.take()), true);
      return;
    }
    // too much to hold: what was held goes first, and the rest as it comes
    this.isStream = true;
    await this.sendPieces(this.restored(this.held.take()), false);
    await this.pass(this.restored(body), isLast);
  }

  /** Trailers end a body that no piece was the last of. */
  async trailers(): Promise<void> {
    const isHeld = !this.isComplete && !this.isStream && this.held.size > 0;
    this.complete();
    if (isHeld) await this.sendPieces(this.restored(this.held.take()), false);
    await this.scope.parts.send({ response_trailers: {} });
  }

  /** What was made of the answer goes on; with the last of it the answer is complete. */
  private async pass(body: Buffer, isLast: boolean): Promise<void> {
    if (isLast) this.complete();
    else this.scope.parts.observer.handled();
    await this.sendPieces(body, isLast);
  }

  private restored(body: Buffer): Buffer {
    return this.restore?.(body) ?? body;
  }

  /** What the answer is to is known by the time it begins, whichever message that is. */
  private begin(): void {
    if (this.reader !== undefined) return;
    const { decision } = this.scope;
    this.isStream ||= decision?.request.parsed.isStream ?? false;
    this.restore = decision === undefined ? undefined : modelRestorer(decision);
    this.reader = this.isStream ? new StreamUsage() : new AnswerUsage();
  }

  private observe(body: Buffer): void {
    if (body.length === 0) return;
    const { director, observer } = this.scope.parts;
    if (!this.hasBytes) {
      this.hasBytes = true;
      observer.firstByte();
      if (this.scope.decision !== undefined && !this.scope.isOver) director.firstChunk(this.scope.decision);
    }
    observer.chunk(body.length);
    this.reader?.push(body);
  }

  private complete(): void {
    if (this.isComplete) return;
    this.isComplete = true;
    const usage = this.scope.isOver ? undefined : this.reader?.end();
    if (usage !== undefined) this.scope.parts.observer.usage(usage);
    this.scope.end('natural');
  }

  /** What plugins say at the end of an answer goes with its last piece. */
  private async sendPieces(body: Buffer, hasEnd: boolean): Promise<void> {
    for (const piece of bodyPieces(body, hasEnd)) {
      const said = piece.end_of_stream ? pluginMetadata(this.scope.decision) : undefined;
      await this.scope.parts.send({
        response_body: { response: { body_mutation: { streamed_response: piece } } },
        ...(said !== undefined && { dynamic_metadata: said }),
      });
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** Envoy has it as `:status`. */
function statusOf(headers: ReadonlyMap<string, string>): number | undefined {
  const status = Number(headers.get(':status') ?? headers.get('status'));
  return Number.isInteger(status) ? status : undefined;
}
