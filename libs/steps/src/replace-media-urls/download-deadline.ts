/** One signal for two ends: the caller's, and the time limit of a download. To be closed when the download is over. */
export class DownloadDeadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = (): void => {
    this.controller.abort(this.caller.reason);
  };

  constructor(
    private readonly caller: AbortSignal,
    milliseconds: number,
    reason: Error,
  ) {
    this.timer = setTimeout(() => {
      this.controller.abort(reason);
    }, milliseconds);
    if (caller.aborted) this.onAbort();
    else caller.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  close(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener('abort', this.onAbort);
  }
}
