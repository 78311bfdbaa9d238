import type { Usage } from '#protocol';
import type { Decision } from './director.service.ts';
import type { Termination } from './plugin.ts';
import { NO_ROUTE_OBSERVER } from './route.observer.ts';
import type { RouteObserver } from './route.observer.ts';
import type { SchedulingError } from './scheduling.error.ts';
import type { RequestHeaders } from './scheduling-request.ts';

/** The beginning of a request, as it is told to whoever watches. */
export interface ReceivedRequest {
  readonly id: string;
  /** By lower-case name. */
  readonly headers: RequestHeaders;
  /** Names that came several times; of two `traceparent` neither counts. */
  readonly repeated: ReadonlySet<string>;
}

/** The beginning of an answer. */
export interface ReceivedAnswer {
  /** HTTP; undefined where the message had none. */
  readonly status: number | undefined;
  /** `ip:port` that answered, where Envoy tells. */
  readonly served: string | undefined;
  /** Whether it comes event by event. */
  readonly isStream: boolean;
}

/**
 * Told what happens in one exchange, in this order, the way to its endpoint between the first two; what does not happen is not told.
 * `ended` is, once and last.
 */
export interface ExchangeObserver extends RouteObserver {
  received(request: ReceivedRequest): void;
  /** Trace headers for the worker, by lower-case name; asked for when the request is sent on. */
  propagated(): ReadonlyMap<string, string>;
  scheduled(decision: Decision): void;
  /** The client was told the endpoint, and the request goes nowhere. In the place of `scheduled` and of all that would follow. */
  reserved(decision: Decision): void;
  /** The request was turned away. */
  refused(error: SchedulingError): void;
  /** The whole request is on its way to the worker. */
  sent(): void;
  responseHeaders(answer: ReceivedAnswer): void;
  /** The first bytes of the answer's body. */
  firstByte(): void;
  /** @param bytes of the answer's body, above 0 */
  chunk(bytes: number): void;
  /** The chunk is dealt with, but for sending it on. Not told of the last one, whose end is that of the exchange. */
  handled(): void;
  usage(usage: Usage): void;
  ended(how: Termination): void;
}

/** Who watches exchanges. */
export abstract class ExchangeObservers {
  abstract open(): ExchangeObserver;
}

/** Nobody watches. */
export class NoExchangeObservers extends ExchangeObservers {
  open(): ExchangeObserver {
    return NOBODY;
  }
}

const nothing = (): void => undefined;
const NO_HEADERS: ReadonlyMap<string, string> = new Map();

const NOBODY: ExchangeObserver = {
  ...NO_ROUTE_OBSERVER,
  received: nothing,
  propagated: () => NO_HEADERS,
  scheduled: nothing,
  reserved: nothing,
  refused: nothing,
  sent: nothing,
  responseHeaders: nothing,
  firstByte: nothing,
  chunk: nothing,
  handled: nothing,
  usage: nothing,
  ended: nothing,
};
