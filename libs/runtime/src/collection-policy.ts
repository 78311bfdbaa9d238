import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 count the memory of bodies together with its heap when it decides to collect. Bodies lie outside the heap, and left to itself V8
 * marks the whole heap whenever 64 MB of them have come and gone: several times a second under long prompts, where the young collections
 * that are due anyway would free them. To be called before anything else allocates.
 */
export function countBodiesWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}
