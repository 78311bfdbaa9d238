import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Garbage, as a part of what lives, that the heap may gather before all of it is marked; V8 by itself goes up to three times as far. */
const GARBAGE_PERCENT = 100;

/**
 * Has V8 count the memory of bodies together with its heap when it decides to collect, and collect before the heap is several times what
 * lives in it. Bodies lie outside the heap, and left to itself V8 marks the whole heap whenever 64 MB of them have come and gone: several
 * times a second under long prompts, where the young collections that are due anyway would free them. To be called before anything
 * else allocates.
 */
export function countBodiesWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
}

/** Collects what starting has left behind, once: what lives then is what V8 measures later garbage against. */
export function collectStartUp(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
