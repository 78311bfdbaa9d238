import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWanted } from '../options.mjs';
import { allocations } from '../report/allocations.mjs';
import { flameGraph } from '../report/flame-graph.mjs';
import { foldedText, stacksOf } from '../report/stacks.mjs';
import { WORKLOADS } from '../workloads/catalogue.mjs';
import { slice } from './slice.mjs';

/** Those that say most, where nothing else is asked for. */
const USUAL = ['text-200', 'text-8k', 'image-1-openai', 'stream-many'];

/** Takes CPU and allocation profiles of the coordinator, or the sidecar, under load. @returns the files written */
export async function profile(bench) {
  const { options } = bench;
  const wanted = WORKLOADS.filter(({ name }) =>
    options.only === undefined ? USUAL.includes(name) : isWanted(options, name),
  );
  const files = [];
  for (const workload of wanted) files.push(...(await profileOf(bench, workload)));
  return files;
}

async function profileOf(bench, workload) {
  const { folder, options } = bench;
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'));
  const program = await bench.programs.start(bench.programs.rivalsOn(workload.pipeline)[1], workload.pipeline, {
    env: { BENCH_PROFILE: scratch },
  });
  try {
    bench.say(`warming up: ${workload.name}`);
    await slice(bench, program, workload, { seconds: options.warmup });
    bench.say(`profiling: ${workload.name}`);
    const { gauge, requests } = await slice(bench, program, workload, { seconds: options.seconds });
    return written(join(folder, workload.name), workload, gauge.profiles, requests);
  } finally {
    await program.stop();
    rmSync(scratch, { recursive: true });
  }
}

function written(stem, { name, about }, profiles, requests) {
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  const stacks = stacksOf(read(profiles.cpu));
  const title = `${name}: ${about}, CPU of ${requests.toLocaleString('en')} requests`;
  const files = {
    [`${stem}.folded`]: foldedText(stacks),
    [`${stem}.flame.svg`]: flameGraph(stacks, title),
    [`${stem}.allocations.txt`]: allocations(read(profiles.heap), requests),
    [`${stem}.cpuprofile`]: readFileSync(profiles.cpu),
    [`${stem}.heapprofile`]: readFileSync(profiles.heap),
  };
  for (const [file, content] of Object.entries(files)) writeFileSync(file, content);
  return Object.keys(files);
}
