/**
 * Fuzzes the built `#json` against JSON.parse.
 *
 *   node test/fuzz/json.fuzz.mjs [--seconds 10] [--seed N] [--input FILE]
 *
 * The same seed makes the same inputs. An input they differ on is written to a file, whose path is told; `--input` tries one again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { JsonMutator, randomNumbers } from './json-mutator.mjs';
import { compareWithJsonParse } from './json-oracle.mjs';

/** Milliseconds an input of 8 KiB may take; one that takes longer has found something that is not linear. */
const SLOW = 1000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    input: { type: 'string' },
  },
});
process.exitCode =
  values.input === undefined ? fuzz(Number(values.seconds), Number(values.seed)) : replay(values.input);

function fuzz(seconds, seed) {
  const random = randomNumbers(seed);
  const mutator = new JsonMutator(random);
  const counts = { inputs: 0, accepted: 0 };
  const started = performance.now();
  let nextLine = 1;
  const elapsed = () => (performance.now() - started) / 1000;
  const line = () =>
    say(`${elapsed().toFixed(0)} s: ${counts.inputs} inputs, ${counts.accepted} accepted, seed ${seed}`);

  for (const document of documents(mutator)) {
    const failure = tryOne(document, random);
    if (failure instanceof Error) return report(document, failure, seed);
    counts.inputs++;
    if (failure.isAccepted) {
      counts.accepted++;
      mutator.add(document);
    }
    if (elapsed() >= seconds) break;
    if (elapsed() < nextLine) continue;
    line();
    nextLine++;
  }
  line();
  say('no difference from JSON.parse');
  return 0;
}

function* documents(mutator) {
  yield* mutator.seeds;
  for (;;) yield mutator.next();
}

function tryOne(document, random) {
  const started = performance.now();
  try {
    const isAccepted = compareWithJsonParse(document, random);
    const took = performance.now() - started;
    return took > SLOW ? new Error(`took ${took.toFixed(0)} ms`) : { isAccepted };
  } catch (error) {
    return error;
  }
}

function report(document, error, seed) {
  const path = join(tmpdir(), `json-fuzz-${seed}.json`);
  writeFileSync(path, document);
  say(`FAILED with seed ${seed}: ${error.stack}`);
  say(`input of ${document.length} bytes written to ${path}`);
  return 1;
}

function replay(path) {
  const document = readFileSync(path);
  for (let seed = 0; seed < 200; seed++) {
    const outcome = tryOne(document, randomNumbers(seed));
    if (outcome instanceof Error) {
      say(`FAILED: ${outcome.stack}`);
      return 1;
    }
  }
  say('no difference from JSON.parse');
  return 0;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
