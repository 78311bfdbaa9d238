/** What Linux accounts for a process and a core. Elsewhere there is nothing to measure with. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** Jiffies a second, in /proc/stat: 100 on every Linux that Node runs on. */
const HERTZ = 100;

/** Processes that `pid` has started, itself first, and theirs. */
export function processTree(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statOf(name)?.[1];
    if (parent !== undefined) children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)]);
  }
  const tree = [pid];
  // grows while it is walked
  for (const found of tree) tree.push(...(children.get(found) ?? []));
  return tree;
}

/** Seconds of CPU, user and system, that the processes have used with all their threads. */
export function cpuSeconds(pids) {
  return pids.reduce((sum, pid) => sum + (scheduledSeconds(pid) ?? accountedSeconds(pid)), 0);
}

/** The time that utime and stime are scaled to, in nanoseconds instead of hundredths. Threads that ended are not in it. */
function scheduledSeconds(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e9;
  } catch {
    return undefined;
  }
}

function accountedSeconds(pid) {
  const stat = statOf(pid);
  return stat === undefined ? 0 : (Number(stat[11]) + Number(stat[12])) / HERTZ;
}

/** Fields of /proc/<pid>/stat from the third on; the name before them may hold anything. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Bytes in memory: at present, and the most since `forgetPeak`. */
export function memory(pids) {
  const read = (pid, field) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  };
  const sum = (field) => pids.reduce((total, pid) => total + read(pid, field), 0);
  return { now: sum('VmRSS'), peak: sum('VmHWM') };
}

export function forgetPeak(pids) {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Seconds that each core has been busy, by its number. */
export function coreSeconds() {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n');
  return lines
    .filter((line) => /^cpu\d/.test(line))
    .map((line) => {
      const [user, nice, system, , , irq, softirq, steal] = line.split(/\s+/).slice(1).map(Number);
      return (user + nice + system + irq + softirq + steal) / HERTZ;
    });
}
