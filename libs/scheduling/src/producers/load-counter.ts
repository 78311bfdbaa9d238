import type { InFlight } from '../candidate.ts';

/** Whose requests they are. */
export interface Flow {
  readonly fairnessId: string;
  readonly priority: number;
}

/** What a flow has in flight to one endpoint. */
export interface FlowLoad extends Flow, InFlight {}

/** What is on its way to one endpoint. Belongs to the endpoint as it is: of one that comes again under its name there is another one. */
export class LoadCounter implements InFlight {
  private sent = { requests: 0, tokens: 0 };
  private readonly byFlow = new Map<string, FlowLoad>();

  get requests(): number {
    return this.sent.requests;
  }

  get tokens(): number {
    return this.sent.tokens;
  }

  /** The flows that have anything in flight. */
  get flows(): Iterable<FlowLoad> {
    return this.byFlow.values();
  }

  /** Counts something in, to be let go once or in parts. */
  take(load: InFlight, { fairnessId, priority }: Flow): LoadShare {
    // a copy: whoever has the share must not have the request by it
    const flow = { fairnessId, priority };
    const key = `${priority} ${fairnessId}`;
    this.add(key, flow, load);
    return new LoadShare(load, (part) => {
      this.add(key, flow, { requests: -part.requests, tokens: -part.tokens });
    });
  }

  /** A flow that has nothing left is forgotten: who has one is the client's to say. */
  private add(key: string, flow: Flow, load: InFlight): void {
    this.sent = sumOf(this.sent, load);
    const { requests, tokens } = sumOf(this.byFlow.get(key), load);
    if (requests === 0 && tokens === 0) this.byFlow.delete(key);
    else this.byFlow.set(key, { ...flow, requests, tokens });
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

/** Never below zero. */
function sumOf(before: InFlight = { requests: 0, tokens: 0 }, load: InFlight): InFlight {
  return { requests: Math.max(0, before.requests + load.requests), tokens: Math.max(0, before.tokens + load.tokens) };
}
