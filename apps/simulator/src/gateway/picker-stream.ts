import type { Writable } from 'node:stream';
import type { ServiceError } from '@grpc/grpc-js';
import type { ProcessingRequest, ProcessingResponse } from '#ext-proc';
import type { ExtProcCall, Received } from './ext-proc.client.ts';

/** What can be told to wait. */
export interface Source {
  pause(): unknown;
  resume(): unknown;
}

export interface PickerListener {
  reply(message: Received<ProcessingResponse>): void;
  /** The picker ended the stream; `error` where it failed, or could not be reached. Not told after `end` or `cancel`. */
  gone(error: ServiceError | undefined): void;
}

/** A sink has room again, or takes nothing any more. */
const FREE = ['drain', 'close'] as const;

/** The stream of one exchange: neither side is sent more than it takes. */
export class PickerStream {
  private isOver = false;
  private holds = 0;

  constructor(
    private readonly call: ExtProcCall,
    listener: PickerListener,
  ) {
    const gone = (error?: ServiceError): void => {
      if (this.isOver) return;
      this.isOver = true;
      listener.gone(error);
    };
    call.on('data', (message: Received<ProcessingResponse>) => {
      if (!this.isOver) listener.reply(message);
    });
    call.on('error', gone);
    // of a call that failed, the error comes before its end
    call.on('end', () => gone());
  }

  /** @param source waits while the picker has no room for more */
  send(message: ProcessingRequest, source?: Source): void {
    if (this.isOver || this.call.write(message) || source === undefined) return;
    source.pause();
    this.call.once('drain', () => source.resume());
  }

  /** Passes a piece on; no more replies are taken while the sink has no room for more. */
  passTo(sink: Writable, piece: Buffer): void {
    if (piece.length === 0 || sink.write(piece)) return;
    this.holds += 1;
    this.call.pause();
    const release = (): void => {
      for (const event of FREE) sink.removeListener(event, release);
      this.holds -= 1;
      if (this.holds === 0) this.call.resume();
    };
    for (const event of FREE) sink.once(event, release);
  }

  /** Everything is said. */
  end(): void {
    this.isOver = true;
    this.call.end();
    this.call.resume();
  }

  /** Nobody is interested any more. */
  cancel(): void {
    this.isOver = true;
    this.call.cancel();
  }
}
