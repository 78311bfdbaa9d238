import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that are in use once what is not has been let go. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  // buffers are freed beside the first collection, on another thread; the second begins when that is done
  runInNewContext('gc(); gc()');
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
