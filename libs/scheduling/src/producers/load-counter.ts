import type { InFlight } from '../candidate.ts';

/** What is on its way to one endpoint. Belongs to the endpoint as it is: of one that comes again under its name there is another one. */
export class LoadCounter implements InFlight {
  private sent = { requests: 0, tokens: 0 };

  get requests(): number {
    return this.sent.requests;
  }

  get tokens(): number {
    return this.sent.tokens;
  }

  /** Counts something in, to be let go once or in parts. */
  take(load: InFlight): LoadShare {
    this.sent = { requests: this.sent.requests + load.requests, tokens: this.sent.tokens + load.tokens };
    return new LoadShare(load, (part) => {
      this.sent = {
        requests: Math.max(0, this.sent.requests - part.requests),
        tokens: Math.max(0, this.sent.tokens - part.tokens),
      };
    });
  }
}

/** What one request puts on an endpoint. Whatever of it was let go does not count again. */
export class LoadShare {
  constructor(
    private left: InFlight,
    private readonly release: (part: InFlight) => void,
  ) {}

  releaseTokens(): void {
    this.release({ requests: 0, tokens: this.left.tokens });
    this.left = { requests: this.left.requests, tokens: 0 };
  }

  releaseAll(): void {
    this.release(this.left);
    this.left = { requests: 0, tokens: 0 };
  }
}
