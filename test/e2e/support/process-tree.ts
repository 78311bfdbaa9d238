import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** States of sockets in `/proc/net/tcp`. */
const ESTABLISHED = '01';
const LISTENING = '0A';

/** Processes that the process has started and that still run. */
export function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Those of the processes that hold a connection which came in on the port of 127.0.0.1. */
export function holders(port: number, pids: readonly number[]): number[] {
  return owners(port, ESTABLISHED, pids);
}

/** Whether one of the processes listens on the port of 127.0.0.1. */
export function isListening(port: number, pids: readonly number[]): boolean {
  return owners(port, LISTENING, pids).length > 0;
}

function owners(port: number, wanted: string, pids: readonly number[]): number[] {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = read('/proc/net/tcp')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
    .filter(([, address, , state]) => address === local && state === wanted)
    .map((row) => `socket:[${row[9]}]`); // the inode
  return pids.filter((pid) => openFiles(pid).some((file) => sockets.includes(file)));
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  } catch {
    return []; // it has ended
  }
}

/** Files are closed while they are listed. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
