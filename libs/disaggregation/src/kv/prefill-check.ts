import { BadRequestError } from '#foundation';
import { EventReader, isCoded, isEventStream } from '#protocol';
import { isGood } from '../stage-failure.ts';
import type { WholeAnswer } from '../stage.client.ts';
import { prefillAnswer } from './prefill-answer.ts';

/**
 * Looks at an answer of which nothing is needed but that prefill went well. What is no JSON says nothing against it.
 * @throws UpstreamAnswerError for a good status with a failure behind it
 */
export async function checkPrefill({ status, headers, bytes }: WholeAnswer): Promise<void> {
  if (!isGood(status) || isCoded(headers)) return;
  const answers = isEventStream(headers) ? suspectEvents(bytes) : [bytes];
  for (const answer of answers) await check(answer);
}

async function check(bytes: Buffer): Promise<void> {
  try {
    await prefillAnswer(bytes);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
  }
}

/** The events that may tell of a failure; an event without a choice is an ordinary one of a stream. */
function suspectEvents(bytes: Buffer): Buffer[] {
  const events: Buffer[] = [];
  const reader = new EventReader((data, isWhole) => {
    if (isWhole && /"(?:error|abort)"/.test(data)) events.push(Buffer.from(data, 'latin1'));
  });
  reader.push(bytes);
  reader.end();
  return events;
}
