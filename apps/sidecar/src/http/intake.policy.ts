import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { disaggErrorResponse } from '#disaggregation';
import { BadRequestError, Lifecycle, requestId } from '#foundation';
import type { CoordinatorError, ErrorResponse } from '#foundation';
import { HEADER, valuesOf } from '#protocol';
import type { RequestScope } from '#protocol';
import { ClientReply, requestScope, withForwardedFor } from '#server';

/** Upstream has no limit of writing either: who is slow is told by the gateway (`sidecar.md` 1.4). */
const NO_LIMITS = { stall: 0, buffered: 0 };
const NOTHING: ReadonlySet<string> = new Set();
/** What a coordinator keeps for itself, a proxy passes on. */
const KEPT = [HEADER.prefer, HEADER.revisionDecisionId];
/** Answers to what is passed through are read by nobody here, so they may be coded. */
const KEPT_OF_PASSTHROUGH = [...KEPT, 'accept-encoding'];

/** What every request is given when it comes in: its id, its reply, and the part of its headers that goes on. */
@Injectable()
export class IntakePolicy {
  constructor(private readonly lifecycle: Lifecycle) {}

  reply(request: IncomingMessage, response: ServerResponse): ClientReply {
    const { id } = requestId(valuesOf(request.rawHeaders, HEADER.requestId)[0]);
    return new ClientReply(response, id, this.lifecycle, NO_LIMITS, refusal);
  }

  /** Without the routing headers, whatever becomes of the request (`sidecar.md` 3). */
  scope(request: IncomingMessage, reply: ClientReply, isPassthrough: boolean): RequestScope {
    const { rawHeaders } = request;
    const { requestId: id, signal } = reply;
    const scope = requestScope({ id, signal, rawHeaders, dropped: NOTHING, revisionId: false, isPassthrough });
    const kept = (isPassthrough ? KEPT_OF_PASSTHROUGH : KEPT).flatMap((name) =>
      valuesOf(rawHeaders, name).flatMap((value) => [name, value]),
    );
    return { ...scope, headers: withForwardedFor([...scope.headers, ...kept], request) };
  }
}

const TOO_LARGE = new BadRequestError('body_too_large', 'request body too large (--max-request-body-size)');

/** The limit is called as it is set here. */
function refusal(error: CoordinatorError, id: string): ErrorResponse {
  return disaggErrorResponse(error.code === 'body_too_large' ? TOO_LARGE : error, id);
}
