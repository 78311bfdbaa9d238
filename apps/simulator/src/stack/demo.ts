import type { DemoRequest } from './demo-requests.ts';
import type { Stack } from './stack.ts';
import { phaseNames, phaseSummary } from './phase-summary.ts';

const ANSWER_WITHIN_MS = 30_000;

/** What is sent, and to which model. */
export interface DemoPlan {
  readonly model: string;
  readonly requests: readonly DemoRequest[];
}

/**
 * Sends requests one by one; prints the answers as they come and the phases of each.
 * @param more says what there is to say of a request beside its phases
 * @throws Error when a request fails or takes other phases than it should
 */
export async function runDemo(
  { url, requests }: Pick<Stack, 'url' | 'requests'>,
  { model, requests: planned }: DemoPlan,
  write: (text: string) => void,
  more: (requestId: string) => Promise<string> = () => Promise.resolve(''),
): Promise<void> {
  for (const [index, request] of planned.entries()) {
    const requestId = `demo-${index + 1}`;
    write(`\n${index + 1}. ${request.title}\n   `);
    await streamAnswer(`${url}/v1/chat/completions`, requestId, model, request.content, write);
    await requests.waitFor((call) => call.phase === 'client' && call.requestId === requestId);
    const calls = requests.of(requestId);
    write(`\n   ${phaseSummary(calls)}\n${await more(requestId)}`);
    const phases = phaseNames(calls);
    if (phases !== request.expected) throw new Error(`${requestId} took ${phases}; expected ${request.expected}`);
  }
  write(`\nAll ${planned.length} took the phases they should.\n`);
}

async function streamAnswer(
  url: string,
  requestId: string,
  model: string,
  content: unknown,
  write: (text: string) => void,
): Promise<void> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({
      model,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 40,
      messages: [{ role: 'user', content }],
    }),
  });
  if (response.status !== 200 || response.body === null) {
    throw new Error(`${requestId} was answered ${response.status}: ${await response.text()}`);
  }
  let rest = '';
  let done = false;
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event === 'data: [DONE]') done = true;
      else write(contentOf(event));
    }
  }
  if (!done) throw new Error(`${requestId} ended without [DONE]`);
}

function contentOf(event: string): string {
  if (!event.startsWith('data: ')) return '';
  const chunk = JSON.parse(event.slice('data: '.length)) as { choices?: { delta?: { content?: string } }[] }; // the simulator's own words
  return chunk.choices?.[0]?.delta?.content ?? '';
}
