import type { Exchange } from '../control/exchange.ts';
import type { AnswerFormat } from './answers/answer.ts';
import type { Choice } from './generated-text.ts';

/** What a token stream needs of a connection; an `Exchange` is one. */
export type EventSink = Pick<Exchange, 'event' | 'pause'>;

/**
 * Sends an answer token by token, one token of every choice a beat.
 * The first comes at once, each further one `gapMs` later; a caller that does not read delays the rest.
 */
export async function streamTokens(
  sink: EventSink,
  format: AnswerFormat,
  choices: readonly Choice[],
  gapMs: number,
): Promise<void> {
  for (const event of format.opening()) await sink.event(event);
  const longest = Math.max(...choices.map(({ tokens }) => tokens.length));
  for (let position = 0; position <= longest; position++) {
    if (position > 0 && position < longest) await sink.pause(gapMs);
    for (const choice of choices) {
      if (position < choice.tokens.length) await sink.event(format.token(choice, position));
      if (position === choice.tokens.length) for (const event of format.finished(choice)) await sink.event(event);
    }
  }
  for (const event of format.closing()) await sink.event(event);
}
