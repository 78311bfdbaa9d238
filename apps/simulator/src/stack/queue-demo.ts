import type { LoggedCall, RequestLog } from '../control/request-log.ts';
import { ownTraceparent } from '../gateway/own-traceparent.ts';
import { phaseNames, phaseSummary } from './phase-summary.ts';
import { QueueClient } from './queue.client.ts';
import type { QueuedChat } from './queue.client.ts';
import type { Stack } from './stack.ts';

const TEXT = 'Explain in one short paragraph why an answer that nobody waits for is best made at night.';
/** Long enough for a cancellation to be noticed while it is made. */
const LONG = {
  content: 'Tell the story of a queue, from its first request to its last.',
  limits: { max_tokens: 1000, min_tokens: 1000 },
};
const OK = 200;
const ACCEPTED = 202;
const CANCELLED = 499;

/**
 * Queues a text and fetches the answer, waits for the same text, and cancels a long one; prints each exchange, and the phases of what
 * the async worker had served.
 * @param more says what there is to say of a request beside its phases
 * @throws Error when one is answered otherwise, or takes other phases than it should
 */
export async function runQueueDemo(
  { url, requests }: Pick<Stack, 'url' | 'requests'>,
  model: string,
  write: (text: string) => void,
  more: (requestId: string) => Promise<string> = () => Promise.resolve(''),
): Promise<void> {
  const client = new QueueClient(url, write);
  const chat = (id: string, mode: QueuedChat['mode'], changes: Partial<QueuedChat> = {}): QueuedChat => ({
    ...{ id, mode, model, content: TEXT, limits: { max_tokens: 40 } },
    traceparent: ownTraceparent(undefined),
    ...changes,
  });
  const served = async ({ id, traceparent }: QueuedChat, expected: string): Promise<void> => {
    const calls = await servedCalls(requests, traceparent);
    write(`   ${phaseSummary(calls)}\n${await more(id)}`);
    const phases = phaseNames(calls);
    if (phases !== expected) throw new Error(`${id} took ${phases}; expected ${expected}`);
  };

  write('\n1. A text is queued, and its result fetched\n');
  const first = chat('demo-1', 'enqueue');
  await client.submit(first, ACCEPTED);
  await client.fetch(first.id, OK);
  await served(first, 'render, probe 412, prefill, decode');

  write('\n2. The same text is queued, and the connection held until its result is there\n');
  const second = chat('demo-2', 'wait');
  await client.submit(second, OK);
  await served(second, 'render, probe hit');

  write('\n3. A long answer is queued, and cancelled\n');
  const third = chat('demo-3', 'enqueue', LONG);
  await client.submit(third, ACCEPTED);
  await client.cancel(third.id);
  await client.fetch(third.id, CANCELLED);
  write(await more(third.id));

  write('\nAll 3 ended as they should.\n');
}

/** The phases of what a worker had served: it has a request id of its own, and the trace of the one that was queued. */
async function servedCalls(requests: RequestLog, traceparent: string): Promise<LoggedCall[]> {
  const [, trace = ''] = traceparent.split('-');
  const isOfTrace = ({ headers }: LoggedCall): boolean => String(headers['traceparent']).includes(trace);
  const { requestId } = await requests.waitFor((call) => call.phase === 'render' && isOfTrace(call));
  if (requestId === undefined) return [];
  await requests.waitFor((call) => call.phase === 'client' && call.requestId === requestId);
  return requests.of(requestId);
}
