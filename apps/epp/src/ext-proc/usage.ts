import { ByteCollector } from '#foundation';
import { EventReader, readUsage } from '#protocol';
import type { Usage } from '#protocol';

/** Sees an answer pass and reads what it says of its tokens. */
export interface UsageReader {
  push(chunk: Buffer): void;
  /** @returns undefined where the answer said nothing that can be read */
  end(): Usage | undefined;
}

const KEY = '"usage"';
/** Bytes of a whole answer that are kept to read it from: about 2 ms of reading. A longer answer's usage is unknown. */
const MAX_ANSWER = 2 * 1024 * 1024;

/** Of an event stream: the last usage that an event had. */
export class StreamUsage implements UsageReader {
  private usage: Usage | undefined;
  private readonly lines = new EventReader((data, isWhole) => {
    // what was not kept may have been the last word, so that what came before it is not
    if (!isWhole) this.usage = undefined;
    else if (data.includes(KEY)) this.usage = readUsage(Buffer.from(data, 'latin1')) ?? this.usage;
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
