import type { LoggedCall } from '../../../apps/simulator/src/control/request-log.ts';
import type { SidecarStack } from './sidecar-stack.ts';
import { openChat, readText } from './streaming.client.ts';

/** A red square. */
const RED =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Too short for a prefill elsewhere. */
export const SHORT = 'hi';

/** A prompt that has nothing in common with another one's beginning. */
export function cold(topic: string): string {
  return `${topic}: tell me in many plain words how it came about, and why it did not come about before.`;
}

export function withImage(topic: string): readonly object[] {
  return [
    { type: 'text', text: cold(topic) },
    { type: 'image_url', image_url: { url: RED } },
  ];
}

/** What became of a request. */
export interface Asked {
  readonly status: number | undefined;
  readonly text: string;
  /** Its calls, as the workers saw them, in the order in which they came. */
  readonly calls: readonly LoggedCall[];
}

export function chatOf(content: unknown): object {
  const options = { stream: true, stream_options: { include_usage: true }, max_tokens: 8 };
  return { model: 'm', ...options, messages: [{ role: 'user', content }] };
}

/** Sends a streaming chat as the request `id` and reads the whole answer. @param changes of the body */
export async function ask(
  { url, cluster }: Pick<SidecarStack, 'url' | 'cluster'>,
  id: string,
  content: unknown,
  changes: object = {},
): Promise<Asked> {
  const answer = await openChat(url, { ...chatOf(content), ...changes }, { 'x-request-id': id });
  const text = await readText(answer);
  return { status: answer.statusCode, text, calls: callsOf({ cluster }, id) };
}

/** What workers were asked to do for a request; questions about themselves left out. */
export function callsOf({ cluster }: Pick<SidecarStack, 'cluster'>, id: string): readonly LoggedCall[] {
  return cluster.requests.of(id).filter(({ phase }) => phase !== 'other');
}

/** Their phases, `encode, prefill, decode`. */
export function phases({ calls }: Pick<Asked, 'calls'>): string {
  return calls.map(({ phase }) => phase).join(', ');
}
