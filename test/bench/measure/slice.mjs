import { callsOf } from '../workloads/catalogue.mjs';
import { coreSeconds } from '../programs/proc.mjs';

/**
 * One stretch of load on one program.
 * @returns a sample: CPU in microseconds a unit, times in milliseconds, shares of a core
 * @throws Error when an answer was not complete, or calls were made that the workload does not have
 */
export async function slice(bench, program, workload, { seconds, connections = workload.connections }) {
  const { upstream, load } = bench;
  await upstream.call('use', [workload.name]);
  await load.call('open', { port: program.port, sets: [{ workload: workload.name, connections }] });
  const before = usage(bench, program);
  const { wall, sets } = await load.call('run', { seconds });
  const after = usage(bench, program);
  await load.call('close');
  const [result] = sets;
  const counts = await upstream.call('counts');
  checkOutcome(program, workload, result, counts);
  const spent = Object.fromEntries(Object.entries(after).map(([key, value]) => [key, value - before[key]]));
  const units = workload.unit === 'event' ? counts.events : result.completed;
  return {
    cpu: (spent.program * 1e6) / units,
    perSecond: units / wall,
    requests: result.completed,
    // more events than reads: several were relayed as one
    readsPerUnit: result.reads / units,
    bytesPerRequest: bytesOf(counts) / result.completed,
    share: shares(bench, spent, wall),
    whole: result.whole,
    first: result.first,
    gauge: await program.gauge(),
  };
}

/** The slice's answers are whole, and each request made the calls of its workload. */
function checkOutcome(program, workload, { completed, failures }, counts) {
  const what = `${program.name} on ${workload.name}`;
  if (Object.keys(failures).length > 0) throw new Error(`${what}: failed requests ${JSON.stringify(failures)}`);
  if (completed === 0) throw new Error(`${what}: no request was completed`);
  const expected = callsOf(workload);
  for (const [phase, count] of Object.entries(counts.calls)) {
    const wanted = (expected[phase] ?? 0) * completed;
    if (count !== wanted) throw new Error(`${what}: ${count} ${phase} calls for ${completed} requests, not ${wanted}`);
  }
}

function usage({ upstream, load, sink, cores }, program) {
  const all = coreSeconds();
  return {
    program: program.cpuSeconds(),
    upstream: upstream.cpuSeconds(),
    load: load.cpuSeconds(),
    sink: sink.cpuSeconds(),
    core: cores.program === undefined ? 0 : all[Number(cores.program)],
  };
}

/** `drivers` is the busiest core that drives, `others` what strangers took of the core under test. */
function shares({ cores }, { program, upstream, load, sink, core }, wall) {
  const isShared = cores.upstream === cores.load;
  const drivers = isShared ? upstream + load + sink : Math.max(upstream + sink, load);
  return {
    program: program / wall,
    drivers: drivers / wall,
    // cores are accounted in hundredths of a second
    others: cores.program === undefined ? undefined : Math.max(0, core - program) / wall,
  };
}

function bytesOf({ bodyBytes, eventBytes, answerBytes }) {
  return Object.values(bodyBytes).reduce((sum, bytes) => sum + bytes, 0) + eventBytes + answerBytes;
}
