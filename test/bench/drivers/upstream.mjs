/**
 * Render and gateway in one process, replaying prebuilt bytes: a request is told by its path and the headers of its phase, and
 * its body is counted, not read. What cost it causes is that of sockets.
 */
import { createServer } from 'node:net';
import { answersOf, WORKLOAD_HEADER } from '../workloads/exchange.mjs';
import { workloadNamed } from '../workloads/catalogue.mjs';
import { EventStream } from './event-stream.mjs';
import { MessageReader } from './message-reader.mjs';
import { serve } from './rpc.mjs';
import { TimingWheel } from './timing-wheel.mjs';

const wheel = new TimingWheel();
/** Prebuilt answers by workload, those in use only: some are large. */
let answers = new Map();
let counts = noCounts();

serve({
  listen: () => listening(phaseOf),
  /** A worker whose every call is of one phase, which no header tells. */
  listenAs: (phase) => listening(() => phase),
  /** Answers for these workloads from here on, and counts anew. */
  use: (names) => {
    answers = new Map(names.map((name) => [name, answers.get(name) ?? answersOf(workloadNamed(name))]));
    counts = noCounts();
  },
  counts: () => counts,
});

/** @returns the port of another server */
function listening(phase) {
  const server = createServer({ noDelay: true }, (socket) => take(socket, phase));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', 4_096, () => resolve(server.address().port)));
}

function take(socket, phase) {
  const request = { phase: '', workload: '' };
  const reader = new MessageReader({
    head: (head) => Object.assign(request, { phase: phase(head), workload: workloadOf(head) }),
    body: (bytes) => {
      counts.bodyBytes[request.phase] += bytes.length;
    },
    end: () => answer(socket, request),
  });
  socket.on('data', (bytes) => reader.push(bytes));
  // a program that leaves is its own affair
  socket.on('error', () => undefined);
}

function noCounts() {
  const zero = () => ({ render: 0, probe: 0, encode: 0, prefill: 0, decode: 0 });
  return { calls: zero(), bodyBytes: zero(), events: 0, eventBytes: 0, answerBytes: 0 };
}

function phaseOf(head) {
  if (head.slice(0, head.indexOf('\r\n')).includes('/render ')) return 'render';
  if (head.includes('\r\nprefer:')) return 'probe';
  if (head.includes('\r\nepp-profile: encode')) return 'encode';
  return head.includes('\r\nepp-profile: prefill') ? 'prefill' : 'decode';
}

/** The workload that the client named; the only one in use if the header did not get here. */
function workloadOf(head) {
  const at = head.indexOf(`\r\n${WORKLOAD_HEADER}: `);
  if (at === -1) return answers.keys().next().value;
  const start = at + WORKLOAD_HEADER.length + 4;
  const end = head.indexOf('\r\n', start);
  return head.slice(start, end === -1 ? undefined : end);
}

function answer(socket, { phase, workload }) {
  const call = counts.calls[phase]++;
  const { stream, bytes } = answers.get(workload)?.[phase] ?? {};
  if (stream !== undefined) return void new EventStream(socket, stream, wheel, counts);
  // nobody asked for this phase in this workload: the harness sees it in the counts
  if (bytes === undefined) return socket.destroy();
  const whole = bytes[call % bytes.length];
  counts.answerBytes += whole.length;
  socket.write(whole);
}
