import { UpstreamConnectionError } from '#foundation';
import type { ByteObserver, ByteSink } from '#protocol';
import { ReplyBody } from './reply-body.ts';
import type { ByteSource } from './reply-body.ts';

/** A connection in the test's hands. */
export class Source implements ByteSource {
  readonly log: string[] = [];
  readonly aborted: Error[] = [];
  body: ReplyBody | undefined;

  pause(): void {
    this.log.push('pause');
  }

  resume(): void {
    this.log.push('resume');
  }

  /** As the exchange does: the body ends with the reason. */
  abort(reason: Error): void {
    this.aborted.push(reason);
    this.body?.end(reason);
  }
}

export function aBody(expected?: number): { source: Source; body: ReplyBody } {
  const source = new Source();
  const body = new ReplyBody(source, 'prefill', expected);
  source.body = body;
  return { source, body };
}

export function push(body: ReplyBody, ...chunks: readonly string[]): void {
  for (const chunk of chunks) body.push(Buffer.from(chunk));
}

/** Takes everything, or refuses after so many chunks until it is resumed. */
export class Sink implements ByteSink {
  readonly chunks: string[] = [];
  resume: (() => void) | undefined;

  constructor(private readonly room = Infinity) {}

  write(chunk: Buffer, resume: () => void): boolean {
    this.chunks.push(chunk.toString());
    if (this.chunks.length < this.room) return true;
    this.resume = resume;
    return false;
  }
}

export class Observer implements ByteObserver {
  readonly seen: string[] = [];

  chunk(chunk: Buffer): void {
    this.seen.push(chunk.toString());
  }

  end(error: Error | undefined): void {
    this.seen.push(error === undefined ? 'end' : `broken: ${error.message}`);
  }
}

export const BROKEN = new UpstreamConnectionError('prefill', 'reset');
