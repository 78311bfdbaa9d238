import { ByteCollector } from '#foundation';
import { packRope, skipWhitespace } from '#json';
import type { Rope } from '#json';
import type { ClientResponse } from '#pipeline';
import { isEventStream } from '#protocol';
import type { ByteObserver, ByteSink, ByteStream } from '#protocol';
import { editedAnswer } from './cached-tokens.edit.ts';
import { CachedTokensEvents } from './cached-tokens.events.ts';

/** Bytes of an answer of one piece that are held; a larger one passes as it is. */
const MAX_ANSWER = 16 * 1024 * 1024;
/** Parts that are together no larger are one write. */
const JOINED = 64 * 1024;
const D = 0x64;
const OPEN_BRACE = 0x7b;

/** What becomes of the bytes of an answer. */
interface Edit {
  /** @returns what can be sent */
  push(chunk: Buffer): Rope;
  /** Nothing follows. @returns what is left */
  end(): Rope | Promise<Rope>;
}

/** An engine's answer while it arrives, with the count in its usage: of an event stream by lines, of anything else as a whole. */
export class CachedTokensBody implements ByteStream {
  private edit: Edit | undefined;

  constructor(
    private readonly source: ByteStream,
    headers: ClientResponse['headers'],
    private readonly count: number,
  ) {
    if (isEventStream(headers)) this.edit = new CachedTokensEvents(count);
  }

  /** It sees what the engine sends. */
  observe(observer: ByteObserver): void {
    this.source.observe(observer);
  }

  async pipe(sink: ByteSink): Promise<void> {
    await this.source.pipe({ write: (chunk, resume) => send(sink, this.push(chunk), resume) });
    send(sink, (await this.edit?.end()) ?? [], ignore);
  }

  discard(): void {
    this.source.discard();
  }

  private push(chunk: Buffer): Rope {
    this.edit ??= editFor(chunk, this.count);
    return this.edit?.push(chunk) ?? [chunk];
  }
}

/** An object of JSON, gathered up to its end. */
class WholeEdit implements Edit {
  private readonly bytes = new ByteCollector(MAX_ANSWER);
  private isPassing = false;

  constructor(private readonly count: number) {}

  push(chunk: Buffer): Rope {
    if (this.isPassing) return [chunk];
    if (this.bytes.add(chunk)) return [];
    this.isPassing = true;
    return [this.bytes.take(), chunk];
  }

  end(): Rope | Promise<Rope> {
    return this.isPassing ? [] : editedAnswer([this.bytes.take()], this.count);
  }
}

const PASSING: Edit = { push: (chunk) => [chunk], end: () => [] };

/** By the first byte of what says nothing of its kind; undefined where there is only white space. */
function editFor(chunk: Buffer, count: number): Edit | undefined {
  const first = chunk[skipWhitespace(chunk, 0)];
  if (first === undefined) return undefined;
  if (first === OPEN_BRACE) return new WholeEdit(count);
  return first === D ? new CachedTokensEvents(count) : PASSING;
}

/** Writes the parts; the last one decides whether more is wanted. */
function send(sink: ByteSink, parts: Rope, resume: () => void): boolean {
  const packed = packRope(parts, JOINED);
  let isTaken = true;
  for (const [index, part] of packed.entries()) {
    isTaken = sink.write(part, index === packed.length - 1 ? resume : ignore);
  }
  return isTaken;
}

function ignore(): void {}
