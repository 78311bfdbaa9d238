import { faultListSchema } from './fault.schema.ts';
import type { Fault, FaultInput, Phase } from './fault.schema.ts';

interface ArmedFault {
  readonly fault: Fault;
  toSkip: number;
  left: number;
}

/** What is to go wrong, settable while calls run. A call takes the first fault of its phase when it begins. */
export class Faults {
  private armed: ArmedFault[] = [];

  /** Replaces the list. @throws ZodError for a malformed fault, and then nothing changes */
  set(faults: readonly FaultInput[]): void {
    this.armed = faultListSchema.parse(faults).map(arm);
  }

  add(...faults: readonly FaultInput[]): void {
    this.armed.push(...faultListSchema.parse(faults).map(arm));
  }

  clear(): void {
    this.armed = [];
  }

  /** The faults that are not used up. */
  list(): Fault[] {
    return this.armed.filter(({ left }) => left > 0).map(({ fault }) => fault);
  }

  /** The fault that hits this call, which counts as one of its `times`. */
  take(phase: Phase): Fault | undefined {
    for (const armed of this.armed) {
      if (armed.left === 0 || (armed.fault.phase !== phase && armed.fault.phase !== 'any')) continue;
      if (armed.toSkip > 0) {
        armed.toSkip -= 1;
        continue;
      }
      if (Math.random() >= armed.fault.probability) continue;
      armed.left -= 1;
      return armed.fault;
    }
    return undefined;
  }
}

function arm(fault: Fault): ArmedFault {
  return { fault, toSkip: fault.skip, left: fault.times ?? Infinity };
}
