import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { parse } from 'yaml';

/** Characters that take well under the 10 ms for which the event loop may be held. */
const SHORT = 4096;

/**
 * Parses YAML, and JSON with it, without holding the event loop: a megabyte takes a good part of a second, so long texts are parsed by a
 * thread that lives as long as that takes.
 * @throws Error for a text that is neither; the message names the line and quotes it
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (text.length <= SHORT) return parse(text, OPTIONS);
  const library = createRequire(import.meta.url).resolve('yaml');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { library, text, options: OPTIONS } });
  try {
    return await new Promise<unknown>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

/** Aliases are not followed more often than that: a short text could stand for a very long one. */
const OPTIONS = { maxAliasCount: 100, logLevel: 'error' } as const;

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
parentPort.postMessage(require(workerData.library).parse(workerData.text, workerData.options));
`;
