import type { ClientResponse } from '#pipeline';
import { EventReader, isCoded, isEventStream } from '#protocol';
import type { ByteObserver } from '#protocol';
import { eventFacts } from '../event-facts.ts';

/** Calls back at the first event with output of an answer that streams; what follows it is not looked at. */
export function onFirstOutput({ status, headers, body }: ClientResponse, tell: () => void): void {
  if (status !== 200 || !('pipe' in body) || !isEventStream(headers) || isCoded(headers)) return;
  body.observe(new FirstOutput(tell));
}

class FirstOutput implements ByteObserver {
  private reader: EventReader | undefined = new EventReader((data) => {
    if (this.reader === undefined || !eventFacts(data).carriesOutput) return;
    this.reader = undefined;
    this.tell();
  });

  constructor(private readonly tell: () => void) {}

  chunk(chunk: Buffer): void {
    this.reader?.push(chunk);
  }

  end(): void {
    this.reader = undefined;
  }
}
