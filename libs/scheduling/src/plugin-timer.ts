/** Where plugins are called, as metrics have it (`epp.md` 8.4). */
export type ExtensionPoint =
  | 'RequestParsing'
  | 'Screener'
  | 'DataProducer'
  | 'ProfilePicker'
  | 'Filter'
  | 'Scorer'
  | 'Picker'
  | 'ProcessProfilesResults'
  | 'PreRequest'
  | 'ResponseStreaming';

/** Told how long each call of one plugin took, also of one that failed, in milliseconds. */
export type PluginTimer = (milliseconds: number) => void;

/** Makes the timer of a plugin at one point; asked once for each, when a picker is made. */
export type PluginTimers = (
  point: ExtensionPoint,
  plugin: { readonly name: string; readonly type: string },
) => PluginTimer;

/** Calls, and tells how long it took: to the end of the promise, where there is one. */
export function timed<Result>(timer: PluginTimer, call: () => Result): Result {
  const begun = performance.now();
  let isLater = false;
  try {
    const result = call();
    if (!(result instanceof Promise)) return result;
    isLater = true;
    const told = (): void => timer(performance.now() - begun);
    result.then(told, told);
    return result;
  } finally {
    if (!isLater) timer(performance.now() - begun);
  }
}
