import type { LoggedCall, LoggedPhase } from '../control/request-log.ts';

const SHOWN: readonly LoggedPhase[] = ['render', 'probe', 'encode', 'prefill', 'decode'];

/** Servers whose name says nothing that the phase does not. */
const OBVIOUS: ReadonlySet<string> = new Set(['render', 'gateway']);

/**
 * The phases of one request with the workers that served them and their times:
 * `render 3ms · probe 412 2ms · encode×2 → encode-1, encode-2 11ms · prefill → prefill-1 24ms · decode → decode-2 ttft 31ms, 48 events, 412ms`.
 * @param calls all calls with the request's id
 */
export function phaseSummary(calls: readonly LoggedCall[]): string {
  return SHOWN.flatMap((phase) => {
    const found = calls.filter((call) => call.phase === phase);
    return found.length === 0 ? [] : [describe(phase, found)];
  }).join(' · ');
}

/** The phases with their statuses where they matter, without workers and times: `render, probe 412, encode×2, prefill, decode`. */
export function phaseNames(calls: readonly LoggedCall[]): string {
  return SHOWN.flatMap((phase) => {
    const found = calls.filter((call) => call.phase === phase);
    return found.length === 0 ? [] : [name(phase, found)];
  }).join(', ');
}

function describe(phase: LoggedPhase, calls: readonly LoggedCall[]): string {
  const began = Math.min(...calls.map(({ startedAt }) => startedAt));
  const ended = Math.max(...calls.map(({ startedAt, durationMs }) => startedAt + (durationMs ?? 0)));
  const last = calls.at(-1);
  const streamed = last?.firstEventMs === undefined ? [] : [`ttft ${last.firstEventMs}ms`, `${last.events} events`];
  const odd = calls.find(({ outcome }) => outcome !== 'complete');
  const how = odd === undefined ? [] : [odd.outcome ?? 'running'];
  const times = [...streamed, `${ended - began}ms`, ...how].join(', ');
  return `${name(phase, calls)}${workers(calls)} ${times}`;
}

function workers(calls: readonly LoggedCall[]): string {
  const served = new Set(calls.map(({ server }) => server).filter((server) => !OBVIOUS.has(server)));
  return served.size === 0 ? '' : ` → ${[...served].toSorted().join(', ')}`;
}

function name(phase: LoggedPhase, calls: readonly LoggedCall[]): string {
  const count = calls.length > 1 ? `×${calls.length}` : '';
  if (phase === 'probe')
    return calls.at(-1)?.status === 200 ? 'probe hit' : `probe ${calls.at(-1)?.status ?? 'unanswered'}`;
  const refused = calls.find(({ status }) => status !== 200);
  return `${phase}${count}${refused === undefined ? '' : ` ${refused.status ?? 'unanswered'}`}`;
}
