import { Injectable, Logger } from '@nestjs/common';
import { status } from '@grpc/grpc-js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ProcessingRequest, ProcessingResponse } from '#ext-proc';
import { Lifecycle } from '#foundation';
import type { InFlight } from '#foundation';
import { Director, ExchangeObservers } from '#scheduling';
import type { Termination } from '#scheduling';
import { Exchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange.scope.ts';

export type ProcessCall = ServerDuplexStream<ProcessingRequest, ProcessingResponse>;

/** Characters of a request's id, which is the client's. */
const MAX_ID = 256;

/** The `Process` method: one stream, one exchange. */
@Injectable()
export class ExtProcService {
  private readonly logger = new Logger('ext-proc');

  constructor(
    private readonly director: Director,
    private readonly observers: ExchangeObservers,
    private readonly lifecycle: Lifecycle,
    private readonly options: ExchangeOptions,
  ) {}

  readonly process = (call: ProcessCall): void => {
    const stream = new ExchangeStream(
      call,
      (send) => new Exchange({ director: this.director, observer: this.observers.open(), options: this.options, send }),
      (error, requestId) => {
        this.logger.error({ err: error, 'x-request-id': requestId.slice(0, MAX_ID) }, 'an exchange failed');
      },
      () => {
        this.lifecycle.end(stream);
      },
    );
    this.lifecycle.begin(stream);
    stream.start();
  };
}

/** Joins a stream to its exchange: messages in their order, one at a time, and no more than the peer takes. */
class ExchangeStream implements InFlight {
  private readonly exchange: Exchange;
  private isClosed = false;

  constructor(
    private readonly call: ProcessCall,
    exchange: (send: (message: ProcessingResponse) => Promise<void> | void) => Exchange,
    private readonly onFault: (error: unknown, requestId: string) => void,
    private readonly onClose: () => void,
  ) {
    this.exchange = exchange((message) => this.send(message));
  }

  start(): void {
    const { call } = this;
    call.on('data', (message: ProcessingRequest) => {
      call.pause();
      void this.take(message);
    });
    call.on('end', () => {
      // a stream that was reset ends, too, and says so a moment later
      setImmediate(() => {
        this.close(call.cancelled ? 'client_disconnect' : 'error');
        call.end();
      });
    });
    call.on('cancelled', () => {
      this.close('client_disconnect');
    });
    call.on('error', () => {
      this.close('error');
    });
  }

  breakOff(): void {
    this.fail(status.UNAVAILABLE, 'the endpoint picker is shutting down');
  }

  private async take(message: ProcessingRequest): Promise<void> {
    try {
      if (await this.exchange.receive(message)) this.call.resume();
      else this.finish();
    } catch (error) {
      this.onFault(error, this.exchange.requestId);
      this.fail(status.UNKNOWN, 'the exchange failed');
    }
  }

  /** Nothing is sent behind the end: nobody is there to read it. */
  private send(message: ProcessingResponse): Promise<void> | void {
    if (this.isClosed || this.call.write(message)) return undefined;
    return drained(this.call);
  }

  private finish(): void {
    this.call.end();
    this.close('error');
  }

  private fail(code: status, details: string): void {
    if (this.isClosed) return;
    this.close('error');
    // this is how grpc-js is told a status that is not OK
    this.call.emit('error', { code, details });
  }

  private close(how: Termination): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.exchange.end(how);
    this.onClose();
  }
}

/** Done when the peer has taken what was written, or will take nothing any more. */
function drained(call: ProcessCall): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'cancelled', 'close', 'error'];
    const done = (): void => {
      for (const event of events) call.removeListener(event, done);
      resolve();
    };
    for (const event of events) call.once(event, done);
  });
}
