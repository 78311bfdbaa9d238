/** `starting` → `serving` → `draining` (still serving, told not to be chosen) → `closing` (nothing new is begun). */
export type LifecyclePhase = 'starting' | 'serving' | 'draining' | 'closing';

/** Something that is being served and can be broken off. */
export interface InFlight {
  /** Ends it at once, as truthfully as its state allows. */
  breakOff(): void;
}

/** Where the process stands between its start and its end, and what it is serving. */
export class Lifecycle {
  private current: LifecyclePhase = 'starting';
  private readonly serving = new Set<InFlight>();
  private whenIdle: (() => void)[] = [];

  get phase(): LifecyclePhase {
    return this.current;
  }

  /** Whether no new request is begun. */
  get isClosing(): boolean {
    return this.current === 'closing';
  }

  /** Whether the process wants to be chosen for new requests. */
  get isReady(): boolean {
    return this.current === 'serving';
  }

  /** Requests being served. */
  get inFlight(): number {
    return this.serving.size;
  }

  /** Moves on; a phase that was left never comes back. */
  advance(phase: LifecyclePhase): void {
    if (ORDER.indexOf(phase) > ORDER.indexOf(this.current)) this.current = phase;
  }

  begin(request: InFlight): void {
    this.serving.add(request);
  }

  end(request: InFlight): void {
    this.serving.delete(request);
    if (this.serving.size > 0) return;
    for (const resolve of this.whenIdle.splice(0)) resolve();
  }

  /** Done when nothing is being served. */
  async idle(): Promise<void> {
    if (this.serving.size === 0) return;
    await new Promise<void>((resolve) => this.whenIdle.push(resolve));
  }

  /** Breaks off whatever is left. */
  breakOffAll(): void {
    for (const request of [...this.serving]) request.breakOff();
  }
}

const ORDER: readonly LifecyclePhase[] = ['starting', 'serving', 'draining', 'closing'];
