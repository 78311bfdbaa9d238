import type { AnswerFacts } from './answer-observer.ts';
import { RequestRecord } from './request-record.ts';

/** A request that has just come in. */
export function aRecord(id = 'req-1', path = '/v1/chat/completions'): RequestRecord {
  return new RequestRecord(id, 'POST', path);
}

/** What was seen of a stream with two events, that ended as it should. */
export function anAnswer(record: RequestRecord, changes: Partial<AnswerFacts> = {}): AnswerFacts {
  return {
    firstOutputAt: record.startedAt + 100,
    lastOutputAt: record.startedAt + 150,
    outputEvents: 2,
    usage: { inputTokens: 5, outputTokens: 7, cachedTokens: 2 },
    finishReasons: ['stop'],
    isTerminated: true,
    ...changes,
  };
}
