import type { RouteObserver } from '#scheduling';

/** Tells the way of a request for as long as its exchange goes on: the end is the last that is told, whatever still runs behind it. */
export function untilOver(observer: RouteObserver, scope: { readonly isOver: boolean }): RouteObserver {
  const tell = (say: () => void): void => {
    if (!scope.isOver) say();
  };
  return {
    began: () => tell(() => observer.began()),
    read: (request) => tell(() => observer.read(request)),
    cycle: (request, candidates) => (scope.isOver ? undefined : observer.cycle(request, candidates)),
    cycleEnded: (...told) => tell(() => observer.cycleEnded(...told)),
    preparing: (request, result) => tell(() => observer.preparing(request, result)),
    prepared: () => tell(() => observer.prepared()),
  };
}
