import { ByteCollector } from '#foundation';
import { JsonSyntaxError, JsonValue } from '#json';
import type { Usage } from '#scheduling';
import { DataLines } from './data-lines.ts';

/** Sees an answer pass and reads what it says of its tokens. */
export interface UsageReader {
  push(chunk: Buffer): void;
  /** @returns undefined where the answer said nothing that can be read */
  end(): Usage | undefined;
}

const KEY = Buffer.from('"usage"');
/** Bytes of a whole answer that are kept to read it from: about 2 ms of reading. A longer answer's usage is unknown. */
const MAX_ANSWER = 2 * 1024 * 1024;

/** Of an event stream: the last usage that an event had. */
export class StreamUsage implements UsageReader {
  private usage: Usage | undefined;
  private readonly lines = new DataLines((data) => {
    // what was not kept may have been the last word, so that what came before it is not
    if (data === undefined) this.usage = undefined;
    else if (data.includes(KEY)) this.usage = readUsage(data) ?? this.usage;
  });

  push(chunk: Buffer): void {
    this.lines.push(chunk);
  }

  end(): Usage | undefined {
    this.lines.end();
    return this.usage;
  }
}

/** Of an answer in one piece. */
export class AnswerUsage implements UsageReader {
  private kept: ByteCollector | undefined = new ByteCollector(MAX_ANSWER);

  push(chunk: Buffer): void {
    if (this.kept?.add(chunk) === false) this.kept = undefined;
  }

  end(): Usage | undefined {
    const answer = this.kept?.take();
    this.kept = undefined;
    return answer?.includes(KEY) === true ? readUsage(answer) : undefined;
  }
}

/** At the top, or in `response` as the responses API has it; by the names of either API. */
function readUsage(json: Buffer): Usage | undefined {
  try {
    const value = JsonValue.read(json);
    const own = value.member('usage');
    const usage = own?.kind === 'object' ? own : value.member('response')?.member('usage');
    return usage?.kind === 'object' ? usageOf(usage) : undefined;
  } catch (error) {
    // a worker's answer may be anything; what cannot be read is unknown
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function usageOf(usage: JsonValue): Usage {
  const details = usage.member('prompt_tokens_details') ?? usage.member('input_tokens_details');
  return {
    input: countOf(usage.member('prompt_tokens') ?? usage.member('input_tokens')),
    output: countOf(usage.member('completion_tokens') ?? usage.member('output_tokens')),
    cached: countOf(details?.member('cached_tokens')),
  };
}

/** A number that can be one of tokens: any other would spoil a sum for ever. */
function countOf(value: JsonValue | undefined): number | undefined {
  const number = value?.number;
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
