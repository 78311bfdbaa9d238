import type { IncomingMessage } from 'node:http';
import type { InboundBody, OutboundBody } from '#disaggregation';
import { BadRequestError } from '#foundation';
import { valuesOf } from '#protocol';
import { forwardedBody, readBody } from '#server';

const DESCRIBING = ['content-type', 'content-encoding'];

/** The body of an inference request. */
export class RequestBody implements InboundBody {
  /** @param limit bytes */
  constructor(
    private readonly request: IncomingMessage,
    private readonly limit: number,
  ) {}

  async stream(): Promise<OutboundBody> {
    const { body, headers } = await forwardedBody(this.request, this.limit);
    const describing = DESCRIBING.flatMap((name) =>
      valuesOf(this.request.rawHeaders, name).flatMap((value) => [name, value]),
    );
    return { body, headers: [...describing, ...headers] };
  }

  /** @throws BadRequestError when it is coded as well: what is in it cannot be changed then */
  async bytes(): Promise<Buffer> {
    const coding = this.request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (coding !== '' && coding !== 'identity') {
      throw new BadRequestError('unsupported_encoding', 'content-encoding is not supported: send the body as it is');
    }
    return readBody(this.request, this.limit);
  }
}
