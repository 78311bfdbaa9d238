import type { SchedulingRequest } from './scheduling-request.ts';

/** Something that one plugin keeps with a request, for later calls about the same request. */
export class RequestNote<Value> {
  /** @param key which nobody else uses; it begins with the plugin's name */
  constructor(private readonly key: string) {}

  of({ notes }: SchedulingRequest): Value | undefined {
    // only this note writes under its key
    return notes.get(this.key) as Value | undefined;
  }

  set({ notes }: SchedulingRequest, value: Value): void {
    notes.set(this.key, value);
  }
}
