import type { ReadRequest } from '../disagg-request.ts';
import type { JsonObject } from '#json';
import type { HostPort } from '#protocol';

/** What the stage has made of a request. */
export interface Encoded {
  /** The body that the next stage works with: what the workers said, and the sign that encoding is done, are in it. */
  readonly json: JsonObject;
  /** Media items that were encoded; 0 where there was nothing to do. */
  readonly items: number;
}

/** Has the media of a request encoded by remote workers (`sidecar.md` 5). */
export abstract class EncodeStage {
  /** The name of `--ec-connector`. */
  abstract readonly name: string;

  /**
   * Encodes every media item once.
   * @param encoders at least one
   * @throws CoordinatorError for the first item that failed, its siblings called off; the step of it is `encode[2]`
   */
  abstract run(request: ReadRequest, encoders: readonly HostPort[]): Promise<Encoded>;
}
