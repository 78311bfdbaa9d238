import type { SchedulingResult } from './plugin.ts';
import type { CycleTrace } from './scheduler.service.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** Told of the way of one request through the director, in this order. A way that ends early leaves out what would have come. */
export interface RouteObserver {
  /** The request is whole, and the search for its endpoint begins. */
  began(): void;
  /** It was read: what it asks for is known. */
  read(request: SchedulingRequest): void;
  /**
   * A scheduling cycle begins.
   * @param candidates how many endpoints there are to choose from
   * @returns who is told of each step of it; undefined where nobody wants to know
   */
  cycle(request: SchedulingRequest, candidates: number): CycleTrace | undefined;
  /**
   * The cycle is over.
   * @param result undefined where nobody was chosen
   * @param isReserved whether the client is told who was chosen, and the request goes nowhere
   */
  cycleEnded(request: SchedulingRequest, result: SchedulingResult | undefined, isReserved: boolean): void;
  /** Plugins act on the result before the request goes out. */
  preparing(request: SchedulingRequest, result: SchedulingResult): void;
  /** They have, or one of them turned the request away. */
  prepared(): void;
}

const nothing = (): void => undefined;

/** Nobody watches. */
export const NO_ROUTE_OBSERVER: RouteObserver = {
  began: nothing,
  read: nothing,
  cycle: () => undefined,
  cycleEnded: nothing,
  preparing: nothing,
  prepared: nothing,
};
